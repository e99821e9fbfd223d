package main

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	passiveclock "k8s.io/utils/clock"
)

// syncHandler is what a controller does with a key that it took from its queue.
type syncHandler = func(ctx context.Context, key string) error

// newController builds the world's controller on the server, with the recorder and the queue in the place of its own.
// It returns its sync, and what ends the goroutines that its constructor started.
func newController(ctx context.Context, w *world, s *server, n *notes, reverse bool) (syncHandler, func(), error) {
	if w.controller == "replicaset" {
		rsc := replicaset.NewReplicaSetController(
			ctx, replicaSetInformer(w, reverse), podInformer(w, reverse), s.client(), replicaset.BurstReplicas)
		stop := stopper(rsc)
		podControl := field[controller.PodControlInterface](rsc, "podControl")
		own := (*podControl).(controller.RealPodControl)
		own.Recorder = n
		*podControl = own
		*field[workqueue.TypedRateLimitingInterface[string]](rsc, "queue") = n.queue()
		*field[passiveclock.PassiveClock](rsc, "clock") = clock{s.shift.there()}
		return *field[syncHandler](rsc, "syncHandler"), stop, nil
	}
	dc, err := deployment.NewDeploymentController(
		ctx, deploymentInformer(w, reverse), replicaSetInformer(w, reverse), podInformer(w, reverse), s.client())
	if err != nil {
		return nil, nil, err
	}
	stop := stopper(dc)
	*field[record.EventRecorder](dc, "eventRecorder") = n
	*field[workqueue.TypedRateLimitingInterface[string]](dc, "queue") = n.queue()
	return *field[syncHandler](dc, "syncHandler"), stop, nil
}

// stopper ends the goroutines of the queue and the broadcaster that the controller has now.
func stopper(controller any) func() {
	queue := *field[workqueue.TypedRateLimitingInterface[string]](controller, "queue")
	broadcaster := *field[record.EventBroadcaster](controller, "eventBroadcaster")
	return func() {
		queue.ShutDown()
		broadcaster.Shutdown()
	}
}

// field is where a controller keeps an unexported field. A version of upstream's that has no such field, or has it of
// another type, stops the program: that's no fault of a world's.
func field[T any](owner any, name string) *T {
	value := reflect.ValueOf(owner).Elem().FieldByName(name)
	if want := reflect.TypeFor[T](); !value.IsValid() || value.Type() != want {
		panic(fmt.Sprintf("%T has no field %s of type %s", owner, name, want))
	}
	return (*T)(unsafe.Pointer(value.UnsafeAddr()))
}

// quiet is a context in which upstream logs nothing.
func quiet() context.Context {
	return klog.NewContext(context.Background(), logr.Discard())
}
