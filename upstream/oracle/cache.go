package main

import (
	"slices"
	"strings"

	apps "k8s.io/api/apps/v1"
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

// newInformer caches the objects. An object can only be refused for having no name or namespace fields at all.
func newInformer[T runtime.Object](objects []T, reverse bool) sharedInformer {
	var example T
	shared := cache.NewSharedIndexInformer(&cache.ListWatch{}, example, 0, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
	})
	for _, object := range objects {
		if err := shared.GetIndexer().Add(object); err != nil {
			panic(err)
		}
	}
	return sharedInformer{shared, orderedIndexer{shared.GetIndexer(), reverse}}
}

func deploymentInformer(w *world, reverse bool) informer[appslisters.DeploymentLister] {
	var deployments []*apps.Deployment
	if w.deployment != nil {
		deployments = append(deployments, w.deployment)
	}
	shared := newInformer(deployments, reverse)
	return informer[appslisters.DeploymentLister]{shared, appslisters.NewDeploymentLister(shared.indexer)}
}

func replicaSetInformer(w *world, reverse bool) informer[appslisters.ReplicaSetLister] {
	shared := newInformer(w.replicaSets, reverse)
	return informer[appslisters.ReplicaSetLister]{shared, appslisters.NewReplicaSetLister(shared.indexer)}
}

func podInformer(w *world, reverse bool) informer[corelisters.PodLister] {
	shared := newInformer(w.pods, reverse)
	return informer[corelisters.PodLister]{shared, corelisters.NewPodLister(shared.indexer)}
}
