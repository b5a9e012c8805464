package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
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
