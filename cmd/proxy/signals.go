package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilStopped returns a context that ends with the first SIGINT, SIGTERM or SIGHUP. A second
// SIGINT or SIGTERM is left to the runtime, which ends the process immediately. SIGHUP never does
// that: a closing terminal may send it twice, and a service manager right after SIGTERM. If it is
// ignored at start, as under nohup, it stays ignored. SIGPIPE is ignored: a log whose reader has
// ended is lost, and requests go on.
func untilStopped(parent context.Context) (ctx context.Context, stop func()) {
	signal.Ignore(syscall.SIGPIPE)
	hungUp, cancel := context.WithCancel(parent)
	ctx, restore := signal.NotifyContext(hungUp, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	if signal.Ignored(syscall.SIGHUP) {
		return ctx, cancel
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		select {
		case <-hangups:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		signal.Stop(hangups)
	}
}
