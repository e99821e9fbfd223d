package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// attempts at a sync are more than any machine needs that is only busy.
const attempts = 50

// syncLine does the one sync of the world that a line describes.
func syncLine(line []byte, controller string, reverse bool) (any, error) {
	margin := firstMargin
	for range attempts {
		w, err := readWorld(line, controller)
		if err != nil {
			return nil, err
		}
		done, err := syncOnce(w, margin, reverse)
		if !errors.Is(err, errMissed) {
			return done, err
		}
		margin = min(2*margin, lastMargin)
	}
	return nil, fmt.Errorf("a sync took longer than %s each time: run it on a machine that is less busy", lastMargin)
}

var errMissed = errors.New("the clock came to the world's now")

// syncOnce moves the world to the wall clock's time, does the sync, and tells what it did in the world's time.
func syncOnce(w *world, margin time.Duration, reverse bool) (done *outcome, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("id %s: upstream's own code panics in %s: %v", w.id, panicked(debug.Stack()), reason)
		}
	}()
	s := newShift(w.now, margin)
	s.hold()
	for _, object := range w.objects() {
		s.forth(object)
	}
	server, notes := newServer(w, s), &notes{shift: s, events: []string{}}
	ctx := quiet()
	sync, stop, err := newController(ctx, w, server, notes, reverse)
	if err != nil {
		return nil, err
	}
	defer stop()
	failed := sync(ctx, w.key())
	if s.missed() {
		return nil, errMissed
	}
	if w.controller == "replicaset" {
		settle(server.actions, notes.events)
	}
	done = &outcome{
		ID:            w.id,
		Actions:       server.actions,
		Events:        notes.events,
		Enqueued:      notes.enqueued,
		EnqueuedAfter: notes.enqueuedAfter,
	}
	if failed != nil {
		done.Error = s.text(failed.Error())
	}
	return done, nil
}

// panicked is the function of upstream's in a stack that is nearest to the panic.
func panicked(stack []byte) string {
	for line := range strings.Lines(string(stack)) {
		if strings.HasPrefix(line, "k8s.io/") {
			return line[:strings.LastIndex(line, "(")]
		}
	}
	return "a place unknown"
}

// objects are all of the world's, each once.
func (w *world) objects() []metav1.Object {
	var all []metav1.Object
	if w.deployment != nil {
		all = append(all, w.deployment)
	}
	if w.freshDeployment != nil {
		all = append(all, w.freshDeployment)
	}
	for _, replicaSet := range w.replicaSets {
		all = append(all, replicaSet)
	}
	for _, pod := range w.pods {
		all = append(all, pod)
	}
	return all
}

// key is what the controller is asked to sync.
func (w *world) key() string {
	if w.controller == "replicaset" {
		return key(w.replicaSets[0])
	}
	return key(w.deployment)
}
