package main

import (
	"strings"
	"time"
	_ "unsafe" // for go:linkname

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Upstream reads the wall clock where it writes a stamp, and that can't be changed from outside. So it's the world that
// is moved: all its time stamps go to where the wall clock is, and those of the outcome come back. The world's clock
// stands during a sync, and the wall clock doesn't; so the world is put a little ahead (`margin`), the sync is over
// before the wall clock comes to the world's now, and what it wrote meanwhile counts as written at that now. Where
// upstream compares with the clock, it's told the moment at which the sync began: a deadline that is due exactly now is
// then not over, whether it's from the world or was written by the sync itself.
//
// A stamp of the template is not moved, as it counts for the hash, and no controller reads it.

const (
	firstMargin = 10 * time.Millisecond
	// Beyond this, a ReplicaSet controller that ranks Pods by the logarithm of their age could see another power of two.
	lastMargin = 100 * time.Millisecond
)

// shift moves a world's time to the wall clock's.
type shift struct {
	now    time.Time // the world's
	by     time.Duration
	margin time.Duration
	texts  []string // pairs: when an object was deleted as upstream prints it in an error, and as it should
}

func newShift(now time.Time, margin time.Duration) *shift {
	return &shift{now: now, by: time.Now().Round(0).Add(margin).Sub(now), margin: margin}
}

// there is the world's now on the wall clock; began, where the wall clock was when the world was moved.
func (s *shift) there() time.Time { return s.now.Add(s.by) }
func (s *shift) began() time.Time { return s.there().Add(-s.margin) }

// missed says that the sync took so long that the clock came to the world's now.
func (s *shift) missed() bool { return !time.Now().Before(s.there()) }

func (s *shift) forth(object metav1.Object) {
	deleted := object.GetDeletionTimestamp().DeepCopy()
	stamps(object, func(stamp *metav1.Time) { *stamp = metav1.NewTime(stamp.Add(s.by)) })
	if deleted != nil {
		s.texts = append(s.texts, object.GetDeletionTimestamp().String(), deleted.String())
	}
}

// back also makes a stamp that the sync wrote equal to the world's now.
func (s *shift) back(object any) {
	stamps(object, func(stamp *metav1.Time) {
		moved := stamp.Add(-s.by)
		if ago := s.now.Sub(moved); ago > 0 && ago <= s.margin {
			moved = s.now
		}
		*stamp = metav1.NewTime(moved)
	})
}

// text puts right the moments that a message prints.
func (s *shift) text(message string) string {
	if len(s.texts) == 0 {
		return message
	}
	return strings.NewReplacer(s.texts...).Replace(message)
}

// seconds rounds up a delay, which the clock may have made a little longer or shorter than it is in the world.
func (s *shift) seconds(delay time.Duration) int64 {
	return int64((delay - s.margin + time.Second - 1).Truncate(time.Second) / time.Second)
}

// stamps calls move for every time stamp of the object that means a moment, if it's set.
func stamps(object any, move func(*metav1.Time)) {
	some := func(all ...*metav1.Time) {
		for _, stamp := range all {
			if !stamp.IsZero() {
				move(stamp)
			}
		}
	}
	switch o := object.(type) {
	case *apps.Deployment:
		some(&o.CreationTimestamp, o.DeletionTimestamp)
		for i := range o.Status.Conditions {
			some(&o.Status.Conditions[i].LastUpdateTime, &o.Status.Conditions[i].LastTransitionTime)
		}
	case *apps.ReplicaSet:
		some(&o.CreationTimestamp, o.DeletionTimestamp)
		for i := range o.Status.Conditions {
			some(&o.Status.Conditions[i].LastTransitionTime)
		}
	case *core.Pod:
		some(&o.CreationTimestamp, o.DeletionTimestamp, o.Status.StartTime)
		for i := range o.Status.Conditions {
			some(&o.Status.Conditions[i].LastProbeTime, &o.Status.Conditions[i].LastTransitionTime)
		}
	}
}

// The variables by which the Deployment controller's two packages call time.Now; their own tests set them too.
var (
	//go:linkname deploymentNow k8s.io/kubernetes/pkg/controller/deployment.nowFn
	deploymentNow func() time.Time
	//go:linkname deploymentUtilNow k8s.io/kubernetes/pkg/controller/deployment/util.nowFn
	deploymentUtilNow func() time.Time
)

// hold tells the Deployment controller the moment at which the sync began, however often it asks.
func (s *shift) hold() {
	if deploymentNow == nil || deploymentUtilNow == nil {
		panic("this version of the Deployment controller reads the clock in another way")
	}
	deploymentNow = s.began
	deploymentUtilNow = s.began
}

// clock stands at one moment, as upstream's PassiveClock.
type clock struct{ at time.Time }

func (c clock) Now() time.Time                       { return c.at }
func (c clock) Since(moment time.Time) time.Duration { return c.at.Sub(moment) }
