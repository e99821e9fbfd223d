package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
)

// world is what the controller's caches hold and how the API server behaves, before one sync.
type world struct {
	id         string
	controller string
	now        time.Time
	// The caches.
	deployment  *apps.Deployment
	replicaSets []*apps.ReplicaSet
	pods        []*core.Pod
	// What the server holds instead of deployment, unless nil.
	freshDeployment *apps.Deployment
	failures        []failure
}

// failure is a kind of call that the API server refuses, each time; without a name, whatever the name.
type failure struct {
	Verb        string `json:"verb"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource"`
	Name        string `json:"name"`
	Reason      string `json:"reason"`
}

// action is one call to the API server. Either Object or Patch is what was sent, if anything was.
type action struct {
	Verb        string          `json:"verb"`
	Resource    string          `json:"resource"`
	Subresource string          `json:"subresource,omitempty"`
	Name        string          `json:"name"`
	Object      json.RawMessage `json:"object,omitempty"`
	Patch       json.RawMessage `json:"patch,omitempty"`
	PatchType   string          `json:"patchType,omitempty"`
	Failed      string          `json:"failed,omitempty"`
}

// outcome is what one sync did.
type outcome struct {
	ID            string   `json:"id"`
	Actions       []action `json:"actions"`
	Events        []string `json:"events"`
	Error         string   `json:"error,omitempty"`
	Enqueued      []string `json:"enqueued,omitempty"`
	EnqueuedAfter []string `json:"enqueuedAfter,omitempty"`
}

// readWorld makes a world of one line. The error names the field that is wrong.
func readWorld(line []byte, controller string) (*world, error) {
	w := &world{controller: controller}
	var now string
	var replicaSets, pods []json.RawMessage
	err := readFields(line,
		target{"id", &w.id},
		target{"controller", &w.controller},
		target{"now", &now},
		target{"deployment", &w.deployment},
		target{"freshDeployment", &w.freshDeployment},
		target{"failures", &w.failures},
		target{"replicaSets", &replicaSets},
		target{"pods", &pods},
	)
	if err != nil {
		return nil, err
	}
	if w.replicaSets, err = each[apps.ReplicaSet](replicaSets, "replicaSets"); err != nil {
		return nil, err
	}
	if w.pods, err = each[core.Pod](pods, "pods"); err != nil {
		return nil, err
	}
	if w.now, err = time.Parse(time.RFC3339, now); err != nil {
		return nil, fmt.Errorf("now: want a time such as 2026-03-01T12:00:00Z, got %q", now)
	}
	return w, w.check()
}

// check refuses what no controller could be run on.
func (w *world) check() error {
	switch {
	case w.controller != "deployment" && w.controller != "replicaset":
		return fmt.Errorf("controller: want deployment or replicaset, got %q", w.controller)
	case w.controller == "deployment" && w.deployment == nil:
		return errors.New("deployment: missing")
	case w.controller == "replicaset" && len(w.replicaSets) == 0:
		return errors.New("replicaSets: missing, and the first is the one to sync")
	}
	for i, failure := range w.failures {
		if failure.Verb == "" || failure.Resource == "" {
			return fmt.Errorf("failures[%d]: want a verb and a resource", i)
		}
		if _, known := reasons[failure.Reason]; !known {
			return fmt.Errorf("failures[%d].reason: unknown reason %q", i, failure.Reason)
		}
	}
	return nil
}

func each[T any](items []json.RawMessage, path string) ([]*T, error) {
	all := make([]*T, len(items))
	for i, item := range items {
		all[i] = new(T)
		if err := decode(item, fmt.Sprintf("%s[%d]", path, i), all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
