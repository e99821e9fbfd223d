"""The controllers, each a coroutine over its environment: what upstream runs in kube-controller-manager."""
