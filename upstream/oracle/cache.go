package main

import (
	"slices"
	"strings"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// informer is what a controller's constructor wants of one: a cache, filled by hand, and its lister. It never runs.
type informer[Lister any] struct {
	shared sharedInformer
	lister Lister
}

func (i informer[Lister]) Informer() cache.SharedIndexInformer { return i.shared }
func (i informer[Lister]) Lister() Lister                      { return i.lister }

// sharedInformer is upstream's, but for the order in which its cache lists.
type sharedInformer struct {
	cache.SharedIndexInformer
	indexer orderedIndexer
}

func (i sharedInformer) GetIndexer() cache.Indexer { return i.indexer }
func (i sharedInformer) GetStore() cache.Store     { return i.indexer }

// orderedIndexer lists by name, or against it, where upstream's lists at random.
type orderedIndexer struct {
	cache.Indexer
	reverse bool
}

func (o orderedIndexer) List() []any { return o.sort(o.Indexer.List()) }

func (o orderedIndexer) Index(index string, object any) ([]any, error) {
	found, err := o.Indexer.Index(index, object)
	return o.sort(found), err
}

func (o orderedIndexer) ByIndex(index, value string) ([]any, error) {
	found, err := o.Indexer.ByIndex(index, value)
	return o.sort(found), err
}

func (o orderedIndexer) sort(objects []any) []any {
	slices.SortFunc(objects, func(a, b any) int { return strings.Compare(key(a), key(b)) })
	if o.reverse {
		slices.Reverse(objects)
	}
	return objects
}

func key(object any) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	return accessor.GetNamespace() + "/" + accessor.GetName()
}

// newInformer caches the objects, which must be of the example's type.
func newInformer[T runtime.Object](example T, objects []T, reverse bool) sharedInformer {
	namespaces := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	shared := cache.NewSharedIndexInformer(&cache.ListWatch{}, example, 0, namespaces)
	return sharedInformer{shared, orderedIndexer{shared.GetIndexer(), reverse}}.fill(objects2any(objects))
}

// fill puts the objects into the cache; that fails only for what is no API object.
func (i sharedInformer) fill(objects []any) sharedInformer {
	for _, object := range objects {
		if err := i.indexer.Add(object); err != nil {
			panic(err)
		}
	}
	return i
}

func objects2any[T any](objects []T) []any {
	all := make([]any, len(objects))
	for i, object := range objects {
		all[i] = object
	}
	return all
}

func deploymentInformer(w *world, reverse bool) informer[appslisters.DeploymentLister] {
	var deployments []*apps.Deployment
	if w.deployment != nil {
		deployments = append(deployments, w.deployment)
	}
	shared := newInformer(&apps.Deployment{}, deployments, reverse)
	return informer[appslisters.DeploymentLister]{shared, appslisters.NewDeploymentLister(shared.indexer)}
}

func replicaSetInformer(w *world, reverse bool) informer[appslisters.ReplicaSetLister] {
	shared := newInformer(&apps.ReplicaSet{}, w.replicaSets, reverse)
	return informer[appslisters.ReplicaSetLister]{shared, appslisters.NewReplicaSetLister(shared.indexer)}
}

func podInformer(w *world, reverse bool) informer[corelisters.PodLister] {
	shared := newInformer(&core.Pod{}, w.pods, reverse)
	return informer[corelisters.PodLister]{shared, corelisters.NewPodLister(shared.indexer)}
}
