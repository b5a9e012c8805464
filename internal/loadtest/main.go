package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// commands are the subcommands. upstream and bare are started as processes by the others.
var commands = map[string]func(context.Context, []string) error{
	"load":     runLoad,
	"soak":     runSoak,
	"compare":  runCompare,
	"formats":  runFormats,
	"shared":   runShared,
	"upstream": runUpstream,
	"bare":     runBare,
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr,
			"usage: loadtest load | soak | compare | formats | shared [flags]; "+
				"-h after one shows its flags")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := commands[os.Args[1]](ctx, os.Args[2:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "loadtest:", err)
		os.Exit(1)
	}
}

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
