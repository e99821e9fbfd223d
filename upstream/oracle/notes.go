package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
)

// notes keeps what a sync says that is no call: events and keys. It is the controller's event recorder.
type notes struct {
	mutex         sync.Mutex // the ReplicaSet controller sends events from several goroutines
	shift         *shift
	events        []string
	enqueued      []string
	enqueuedAfter []string
}

var _ record.EventRecorder = &notes{}

func (n *notes) Event(_ runtime.Object, kind, reason, message string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.events = append(n.events, n.shift.text(kind+" "+reason+" "+message))
}

func (n *notes) Eventf(object runtime.Object, kind, reason, format string, values ...any) {
	n.Event(object, kind, reason, fmt.Sprintf(format, values...))
}

func (n *notes) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, values ...any) {
	n.Eventf(object, kind, reason, format, values...)
}

// queue is a work queue that only notes what is put in.
func (n *notes) queue() workqueue.TypedRateLimitingInterface[string] { return notedQueue{n, nil} }

type notedQueue struct {
	notes                                        *notes
	workqueue.TypedRateLimitingInterface[string] // nil: a sync only puts in
}

func (q notedQueue) Add(key string)            { q.notes.enqueued = append(q.notes.enqueued, key) }
func (q notedQueue) AddRateLimited(key string) { q.Add(key + " (rate limited)") }
func (q notedQueue) AddAfter(key string, delay time.Duration) {
	if delay <= 0 {
		q.Add(key)
		return
	}
	q.notes.enqueuedAfter = append(q.notes.enqueuedAfter, fmt.Sprintf("%s %ds", key, q.notes.shift.seconds(delay)))
}

// settle puts in order what goroutines did side by side: deletions next to each other by name, and the events.
func settle(actions []action, events []string) {
	for start := 0; start < len(actions); {
		end := start + 1
		for actions[start].Verb == "delete" && end < len(actions) && actions[end].Verb == "delete" {
			end++
		}
		slices.SortFunc(actions[start:end], func(a, b action) int { return strings.Compare(a.Name, b.Name) })
		start = end
	}
	slices.Sort(events)
}
