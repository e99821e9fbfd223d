package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// server is a plain API server: it checks no resourceVersion and sets none, answers a write with the object as sent (a
// patch: as merged), and refuses only what the world's failures say, what doesn't exist and what exists already. It
// keeps every call, with the object as it was then.
type server struct {
	mutex    sync.Mutex // the ReplicaSet controller calls from several goroutines
	shift    *shift
	failures []failure
	objects  map[string]runtime.Object // by resource, namespace and name
	actions  []action
}

func newServer(w *world, s *shift) *server {
	server := &server{shift: s, failures: w.failures, objects: map[string]runtime.Object{}, actions: []action{}}
	if w.deployment != nil {
		server.put("deployments", w.deployment)
	}
	if w.freshDeployment != nil {
		server.put("deployments", w.freshDeployment)
	}
	for _, replicaSet := range w.replicaSets {
		server.put("replicasets", replicaSet)
	}
	for _, pod := range w.pods {
		server.put("pods", pod)
	}
	return server
}

// client is upstream's fake clientset, with this server behind it.
func (s *server) client() kubernetes.Interface {
	client := &fake.Clientset{}
	client.AddReactor("*", "*", s.react)
	return client
}

func (s *server) put(resource string, object runtime.Object) {
	s.objects[resource+" "+key(object)] = object
}

// react answers one call. What it's given is its own copy, and what it answers is the caller's own.
func (s *server) react(call clienttesting.Action) (bool, runtime.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	done := action{Verb: call.GetVerb(), Resource: call.GetResource().Resource, Subresource: call.GetSubresource()}
	var sent runtime.Object
	switch call := call.(type) {
	case clienttesting.CreateActionImpl:
		sent = call.Object
	case clienttesting.UpdateActionImpl:
		sent = call.Object
	case clienttesting.PatchActionImpl:
		done.Name, done.Patch, done.PatchType = call.Name, call.Patch, string(call.PatchType)
	case clienttesting.DeleteActionImpl:
		done.Name = call.Name
	case clienttesting.GetActionImpl:
		done.Name = call.Name
	}
	if sent != nil {
		accessor, err := meta.Accessor(sent)
		if err != nil {
			return true, nil, err
		}
		done.Name = accessor.GetName()
		if done.Object, err = s.print(sent); err != nil {
			return true, nil, err
		}
	}
	answer, err := s.answer(done, call.GetNamespace(), sent)
	if err != nil {
		done.Failed = string(apierrors.ReasonForError(err))
		if named := (*refusal)(nil); errors.As(err, &named) {
			done.Failed, err = named.reason, named.error
		}
	}
	s.actions = append(s.actions, done)
	return true, answer, err
}

// print is the object's JSON, in the world's time.
func (s *server) print(object runtime.Object) ([]byte, error) {
	printed := object.DeepCopyObject()
	s.shift.back(printed)
	return json.Marshal(printed)
}

func (s *server) answer(call action, namespace string, sent runtime.Object) (runtime.Object, error) {
	for _, failure := range s.failures {
		if failure.matches(call) {
			return nil, &refusal{failure.Reason, reasons[failure.Reason](call)}
		}
	}
	address := call.Resource + " " + namespace + "/" + call.Name
	held, exists := s.objects[address]
	switch {
	case call.Verb == "create" && call.Name == "":
		// Only Pods come without a name: it's generated, from the number of the call.
		accessor, err := meta.Accessor(sent)
		if err != nil {
			return nil, err
		}
		accessor.SetName(fmt.Sprintf("%s%05d", accessor.GetGenerateName(), len(s.actions)+1))
		address = call.Resource + " " + namespace + "/" + accessor.GetName()
	case call.Verb == "create" && exists:
		return nil, reasons["AlreadyExists"](call)
	case call.Verb != "create" && !exists:
		return nil, reasons["NotFound"](call)
	}
	switch call.Verb {
	case "create", "update":
		s.objects[address] = sent
	case "patch":
		merged, err := merge(held, call)
		if err != nil {
			return nil, err
		}
		s.objects[address] = merged
	case "delete":
		delete(s.objects, address)
		return held, nil
	case "get":
	default:
		return nil, apierrors.NewMethodNotSupported(call.resource(), call.Verb)
	}
	return s.objects[address].DeepCopyObject(), nil
}

func merge(held runtime.Object, call action) (runtime.Object, error) {
	if call.PatchType != string(types.StrategicMergePatchType) {
		return nil, apierrors.NewBadRequest("want a strategic merge patch, got " + call.PatchType)
	}
	before, err := json.Marshal(held)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, call.Patch, held)
	if err != nil {
		return nil, err
	}
	merged := reflect.New(reflect.TypeOf(held).Elem()).Interface().(runtime.Object)
	return merged, json.Unmarshal(after, merged)
}

func (f failure) matches(call action) bool {
	return f.Verb == call.Verb && f.Resource == call.Resource && f.Subresource == call.Subresource &&
		(f.Name == "" || f.Name == call.Name)
}

// refusal is an error that a failure of the world asked for, with the failure's own word for it.
type refusal struct {
	reason string
	error
}

func (r *refusal) Unwrap() error { return r.error }

// resource is the call's, always in the group apps: so are the errors of the golden cases, for Pods too.
func (a action) resource() schema.GroupResource {
	return schema.GroupResource{Group: "apps", Resource: a.Resource}
}

// reasons makes the API server's error for each reason that a failure can name.
var reasons = map[string]func(action) error{
	"Conflict": func(call action) error {
		return apierrors.NewConflict(call.resource(), call.Name, errors.New(
			"the object has been modified; please apply your changes to the latest version and try again"))
	},
	"NotFound":      func(call action) error { return apierrors.NewNotFound(call.resource(), call.Name) },
	"AlreadyExists": func(call action) error { return apierrors.NewAlreadyExists(call.resource(), call.Name) },
	"Forbidden": func(call action) error {
		return apierrors.NewForbidden(call.resource(), call.Name, errors.New("exceeded quota"))
	},
	"ServerTimeout": func(call action) error { return apierrors.NewServerTimeout(call.resource(), call.Verb, 0) },
	"NamespaceTerminating": func(call action) error {
		refused := apierrors.NewForbidden(call.resource(), call.Name, errors.New("namespace is being terminated"))
		refused.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: core.NamespaceTerminatingCause}}
		return refused
	},
	"Internal": func(action) error { return apierrors.NewInternalError(errors.New("injected")) },
}
