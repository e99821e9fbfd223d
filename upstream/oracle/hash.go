package main

import (
	"errors"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/dump"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	internalapps "k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/controller"
)

// hashed is the answer to one template: its pod-template-hash, the template that was hashed, and, if asked for, the
// text that goes into the hash before the collision count.
type hashed struct {
	ID        string                `json:"id,omitempty"`
	Hash      string                `json:"hash"`
	Defaulted *core.PodTemplateSpec `json:"defaulted"`
	Preimage  string                `json:"preimage,omitempty"`
}

// hashLine hashes one template as the API server would store it, or with "asIs" as it stands. Fields: id, template,
// collisionCount, asIs, preimage.
func hashLine(line []byte) (any, error) {
	var done hashed
	var template *core.PodTemplateSpec
	var collisionCount *int32
	var asIs, preimage bool
	err := readFields(line,
		target{"id", &done.ID},
		target{"template", &template},
		target{"collisionCount", &collisionCount},
		target{"asIs", &asIs},
		target{"preimage", &preimage},
	)
	if err != nil {
		return nil, err
	}
	if template == nil {
		return nil, errors.New("template: missing")
	}
	if !asIs {
		if template, err = stored(template); err != nil {
			return nil, err
		}
	}
	done.Hash, done.Defaulted = controller.ComputeHash(template, collisionCount), template
	if preimage {
		done.Preimage = dump.ForHash(*template)
	}
	return done, nil
}

// stored is the template as a controller gets it back from the API server, in a Deployment just created: with defaults,
// without the fields of disabled features, by way of the server's internal type and of protobuf.
func stored(template *core.PodTemplateSpec) (*core.PodTemplateSpec, error) {
	sent := &apps.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "hash"}, Spec: apps.DeploymentSpec{Template: *template}}
	legacyscheme.Scheme.Default(sent)
	internal := &internalapps.Deployment{}
	if err := legacyscheme.Scheme.Convert(sent, internal, nil); err != nil {
		return nil, err
	}
	podutil.DropDisabledTemplateFields(&internal.Spec.Template, nil)
	versioned := &apps.Deployment{}
	if err := legacyscheme.Scheme.Convert(internal, versioned, nil); err != nil {
		return nil, err
	}
	wire := protobuf.NewSerializer(legacyscheme.Scheme, legacyscheme.Scheme)
	versioned.GetObjectKind().SetGroupVersionKind(apps.SchemeGroupVersion.WithKind("Deployment"))
	packed, err := runtime.Encode(wire, versioned)
	if err != nil {
		return nil, err
	}
	got := &apps.Deployment{}
	_, _, err = wire.Decode(packed, nil, got)
	return &got.Spec.Template, err
}
