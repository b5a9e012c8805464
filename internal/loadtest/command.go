package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"
)

// flags returns a flag set with the flags that all measurements share.
func flags(name string) (set *flag.FlagSet, binary *string) {
	set = flag.NewFlagSet(name, flag.ContinueOnError)
	return set, set.String("proxy", "bin/killick", "the built proxy")
}

// parse parses the flags and makes a folder for the measurement, which remove removes.
func parse(set *flag.FlagSet, args []string) (dir string, remove func(), err error) {
	if err := set.Parse(args); err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp("", "killick-"+set.Name()+"-")
	return dir, func() { os.RemoveAll(dir) }, err
}

// machine describes the machine of the measurement.
func machine() string {
	return fmt.Sprintf("%d CPUs, %s %s, %s", runtime.NumCPU(), runtime.GOOS, runtime.Version(),
		time.Now().UTC().Format(time.DateOnly))
}
