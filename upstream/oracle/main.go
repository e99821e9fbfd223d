// Oracle does one sync by upstream's own Deployment or ReplicaSet controller for each world that it reads.
//
//	oracle [--controller deployment|replicaset] [--order name|reverse] < worlds > outcomes
//	oracle hash < templates > hashes
//
// Worlds come in as JSON lines, gzip or plain, and one line goes out for each: what the controller asked of the API
// server, in order, the events it sent, the error it ended with and the keys it put in its queue. A line that can't be
// used is reported on stderr with its number and field; the others still run, and the exit code is then 2.
//
// Nothing of upstream's is changed: its controllers are built by their own constructors, on a fake clientset and on
// informers that never run. Each world has a new controller, so that nothing goes from one to the next.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

const usage = `usage: oracle [--controller deployment|replicaset] [--order name|reverse] < worlds > outcomes
       oracle hash < templates > hashes`

func main() {
	runtime.GOMAXPROCS(1)           // what upstream does side by side then comes out in the same order every time
	time.Local = time.UTC           // errors print times in it, and an outcome must not depend on the machine's zone
	utilruntime.ErrorHandlers = nil // they log, and hold up whoever errs too often
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)

	flags := flag.NewFlagSet("oracle", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	controller := flags.String("controller", "deployment", "")
	order := flags.String("order", "name", "")

	arguments := os.Args[1:]
	hashing := len(arguments) > 0 && arguments[0] == "hash"
	if hashing {
		arguments = arguments[1:]
	}
	if err := flags.Parse(arguments); err != nil {
		fail(err)
	}
	switch {
	case flags.NArg() > 0:
		fail(fmt.Errorf("unknown argument %q", flags.Arg(0)))
	case *controller != "deployment" && *controller != "replicaset":
		fail(fmt.Errorf("unknown controller %q", *controller))
	case *order != "name" && *order != "reverse":
		fail(fmt.Errorf("unknown order %q", *order))
	}

	answer := hashLine
	if !hashing {
		answer = func(line []byte) (any, error) { return syncLine(line, *controller, *order == "reverse") }
	}
	refused, err := eachLine(os.Stdin, os.Stdout, os.Stderr, answer)
	if err != nil {
		fmt.Fprintf(os.Stderr, "oracle: %v\n", err)
		os.Exit(1)
	}
	if refused > 0 {
		os.Exit(2)
	}
}

func fail(err error) {
	fmt.Fprintf(os.Stderr, "oracle: %v\n%s\n", err, usage)
	os.Exit(2)
}
