// The root of this project's Go module. Which Kubernetes it is built against is said by one of the files
// versions/v1.XX.mod, chosen with -modfile; without that, only what needs nothing but Go itself builds.
module deployment-conformance/upstream

go 1.26
