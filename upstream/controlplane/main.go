// Controlplane is etcd, kube-apiserver and kube-controller-manager as one program.
//
//	controlplane etcd|kube-apiserver|kube-controller-manager FLAGS…
//
// What follows the component's name is that component's own command line; the code behind it is upstream's, imported
// as a dependency and not changed. One program instead of three, as they share most of their packages: a third of
// the disk, and a third of the time to link.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	_ "time/tzdata" // CronJobs and validation know time zones; the program may run where no zone files are

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubeapiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kubecontrollermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

// components maps a component's name to what runs it on the arguments in os.Args and does not return.
var components = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          func() { run(kubeapiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func() { run(kubecontrollermanager.NewControllerManagerCommand()) },
}

// run ends the process with the command's exit code, after its logs are flushed.
func run(command *cobra.Command) {
	os.Exit(cli.Run(command))
}

func main() {
	if len(os.Args) > 1 {
		if start, ok := components[os.Args[1]]; ok {
			os.Args = os.Args[1:]
			start()
			return
		}
	}
	names := make([]string, 0, len(components))
	for name := range components {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "usage: %s %s FLAGS…\n", filepath.Base(os.Args[0]), strings.Join(names, "|"))
	os.Exit(2)
}
