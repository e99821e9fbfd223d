// Typetables prints the fields of upstream's API types, as reflection sees them: every struct that can be reached from
// the roots, with its fields in the order in which they are declared. One field a line, as JSON.
//
//	typetables podtemplate   what the pod-template-hash covers
//	typetables types         the objects that an API server for Deployments keeps and takes
//
// Unexported fields are among them, as the hash covers those too. It is the order, the names and the types that count,
// so the tables of one Kubernetes version hold for no other.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/version"
)

// tables are the roots of each table that can be asked for.
var tables = map[string][]reflect.Type{
	"podtemplate": {reflect.TypeFor[core.PodTemplateSpec]()},
	"types": {
		reflect.TypeFor[apps.Deployment](),
		reflect.TypeFor[apps.ReplicaSet](),
		reflect.TypeFor[core.Pod](),
		reflect.TypeFor[core.Event](),
		reflect.TypeFor[core.Namespace](),
		reflect.TypeFor[metav1.DeleteOptions](),
		reflect.TypeFor[autoscaling.Scale](),
	},
}

// field is one line. What is not so of a field is left out.
type field struct {
	Go       string `json:"go"`
	Type     string `json:"type"`
	Kind     string `json:"kind"`
	JSON     string `json:"json,omitempty"`
	Embedded bool   `json:"embedded,omitempty"`
	// What a pointer, slice or map holds, and a map's key.
	Elem     string `json:"elem,omitempty"`
	ElemKind string `json:"elemKind,omitempty"`
	Key      string `json:"key,omitempty"`
	// Whether JSON leaves it out when it's empty; and zero, for a struct.
	OmitEmpty bool `json:"omitempty,omitempty"`
	OmitZero  bool `json:"omitzero,omitempty"`
	// How a strategic merge patch treats it.
	PatchStrategy string `json:"patchStrategy,omitempty"`
	PatchMergeKey string `json:"patchMergeKey,omitempty"`
}

func main() {
	if len(os.Args) != 2 || tables[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: typetables podtemplate|types")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	write(out, tables[os.Args[1]])
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "typetables:", err)
		os.Exit(1)
	}
}

func write(out io.Writer, roots []reflect.Type) {
	names := make([]string, len(roots))
	var all []reflect.Type
	for i, root := range roots {
		names[i] = root.String()
		all = reach(root, all)
	}
	fmt.Fprintf(out, "{\"version\":%q,", version.Get().GitVersion)
	if len(names) == 1 {
		fmt.Fprintf(out, "\"root\":%q,", names[0])
	} else {
		fmt.Fprintf(out, "\"roots\":%s,", line(names))
	}
	fmt.Fprint(out, "\"structs\":{")
	for i, structure := range all {
		fmt.Fprintf(out, "%s\n%q:[", separator(i), structure)
		for j := range structure.NumField() {
			fmt.Fprintf(out, "%s\n %s", separator(j), line(describe(structure.Field(j))))
		}
		fmt.Fprint(out, "]")
	}
	fmt.Fprint(out, "\n}}\n")
}

func separator(index int) string {
	if index == 0 {
		return ""
	}
	return ","
}

func line(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// reach adds to found the struct that t is or holds, and all that its fields lead to, depth first. Two structs of one
// name would be one table, so that ends the program.
func reach(t reflect.Type, found []reflect.Type) []reflect.Type {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return reach(t.Elem(), found)
	case reflect.Struct:
	default:
		return found
	}
	if t == reflect.TypeFor[time.Location]() || slices.Contains(found, t) {
		return found // a location is always a nil pointer here
	}
	for _, other := range found {
		if other.String() == t.String() {
			panic(fmt.Sprintf("both %s and %s have a type %s", other.PkgPath(), t.PkgPath(), t))
		}
	}
	found = append(found, t)
	for i := range t.NumField() {
		found = reach(t.Field(i).Type, found)
	}
	return found
}

func describe(f reflect.StructField) field {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	described := field{
		Go:            f.Name,
		Type:          f.Type.String(),
		Kind:          f.Type.Kind().String(),
		JSON:          name,
		Embedded:      f.Anonymous,
		OmitEmpty:     slices.Contains(strings.Split(options, ","), "omitempty"),
		OmitZero:      slices.Contains(strings.Split(options, ","), "omitzero"),
		PatchStrategy: f.Tag.Get("patchStrategy"),
		PatchMergeKey: f.Tag.Get("patchMergeKey"),
	}
	switch f.Type.Kind() {
	case reflect.Map:
		described.Key = f.Type.Key().String()
		fallthrough
	case reflect.Pointer, reflect.Slice, reflect.Array:
		described.Elem = f.Type.Elem().String()
		described.ElemKind = f.Type.Elem().Kind().String()
	}
	return described
}
