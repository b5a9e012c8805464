package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"killick/cache"
	"killick/internal/config"
	"killick/internal/config/load"
	"killick/internal/wire"
)

const serveLong = `Serve the proxy. Point clients of the APIs of OpenAI, Anthropic, Google,
Amazon Bedrock and Ollama at it:

    base_url = http://127.0.0.1:8080/v1

The client's own key is passed to the upstream. SIGINT, SIGTERM or SIGHUP stops
the proxy: running streams may finish within timeouts.drain. A second SIGINT or
SIGTERM stops it immediately.`

const serveExample = `  killick serve
  killick serve --upstream http://127.0.0.1:11434/v1 --listen :9000
  killick serve --config killick.yaml --trigger 32000 --target 16000
  KILLICK_COMPACTION_MODE=observe killick serve`

// serveFlags are the flags that set keys. Other keys are set by variables.
var serveFlags = []struct{ name, path, usage string }{
	{"listen", "listen", "serve clients at this `address`"},
	{"admin-listen", "admin.listen", "serve metrics at this `address`; empty for none"},
	{"upstream", "upstream.base_url", "forward to the API with this base `url`"},
	{"data", "cache.dir", "keep the store in this `dir`"},
	{"mode", "compaction.mode", "handle requests in this `mode`: on, observe (report only) or off"},
	{"profile", "compaction.profile",
		"compact by this `profile`: auto (by the model's prices), guard, balanced or saver"},
	{"trigger", "compaction.trigger",
		"compact requests over this `amount`: a share of the window, or tokens"},
	{"target", "compaction.target", "compact to this `amount`, in the same units"},
	{"log-level", "log.level", "log at this `level` and above: debug, info, warn or error"},
	{"log-format", "log.format", "log in this `format`: auto, text or json"},
}

func newServe(env []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Serve the proxy",
		Long:    serveLong,
		Example: serveExample,
		Args:    noArguments,
	}
	cmd.Flags().StringP("config", "c", "",
		"read this `file` (default: the one that "+load.EnvFile+" names)")
	for _, f := range serveFlags {
		cmd.Flags().String(f.name, "", fmt.Sprintf("%s (default %s)", f.usage,
			load.DefaultText(f.path)))
	}
	cmd.RunE = running(func(cmd *cobra.Command, _ []string) error {
		s, err := load.Config(serveSources(cmd, env))
		if err != nil {
			return err
		}
		printWarnings(cmd.ErrOrStderr(), s)
		ctx, stop := untilStopped(cmd.Context())
		defer stop()
		keepToOwner()
		l := wire.OpenLog(s.Log, cmd.ErrOrStderr())
		cmd.Root().SetErr(l) // what run prints must not wait for the log's reader either
		log.SetFlags(0)
		log.SetOutput(wire.LibraryWriter(l.Logger))
		return serve(ctx, s.Config, l)
	})
	return cmd
}

// serveSources collects the settings from the command line and the environment.
func serveSources(cmd *cobra.Command, env []string) load.Sources {
	from := load.Sources{File: load.Lookup(env, load.EnvFile), Env: env}
	if file := cmd.Flags().Lookup("config"); file.Changed {
		from.File = file.Value.String()
	}
	for _, f := range serveFlags {
		if flag := cmd.Flags().Lookup(f.name); flag.Changed {
			from.Flags = append(from.Flags, load.Flag{Name: "--" + f.name, Path: f.path,
				Value: flag.Value.String()})
		}
	}
	return from
}

// serve runs the proxy until ctx ends and its requests are done.
func serve(ctx context.Context, c config.Config, log *wire.Log) error {
	public, err := listen("listen", c.Listen)
	if err != nil {
		return err
	}
	defer public.Close()
	var admin net.Listener
	if c.Admin.Listen != "" {
		if admin, err = listen("admin.listen", c.Admin.Listen); err != nil {
			return err
		}
		defer admin.Close()
		if admin, err = wire.Secure("admin.tls", c.Admin.TLS, admin, log.Logger); err != nil {
			return err
		}
	}
	if public, err = wire.Secure("tls", c.TLS, public, log.Logger); err != nil {
		return err
	}
	a, err := wire.Build(c, log.Logger)
	if err != nil {
		return starting(err)
	}
	a.CountDropped(log)
	log.Info("serving", "listen", public.Addr().String(), "admin", addressOf(admin),
		"upstream", c.UpstreamNames(), "mode", string(c.Compaction.Mode), "profile",
		c.Compaction.Profile,
		"trigger", c.Compaction.Trigger.String(), "target", c.Compaction.Target.String(), "store",
		a.Store)
	for _, model := range c.ModelsShown() {
		if c.ModeOf(model) == config.ModeOn {
			log.Info("compacting", "model", model, "when", c.Effect(model))
		}
	}
	debug.FreeOSMemory() // building the tables leaves as much garbage as they take
	logged := logStopping(ctx, log, c.Timeouts.Drain)
	err = a.Proxy.Serve(ctx, public, admin)
	logged() // before "stopped"
	if closeErr := a.Close(); closeErr != nil {
		err = errors.Join(err, fmt.Errorf("closing the store: %w", closeErr))
	}
	if err == nil {
		log.Info("stopped")
	}
	return err
}

// logStopping logs when ctx ends. The function that it returns waits for that, if ctx has ended,
// and otherwise cancels it.
func logStopping(ctx context.Context, log *wire.Log, drain time.Duration) (logged func()) {
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		log.Info("stopping; a second SIGINT or SIGTERM stops immediately", "drain",
			config.DurationText(drain))
	})
	return func() {
		if !cancel() {
			<-done
		}
	}
}

func listen(key, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: %s is taken by another program; stop that one or choose "+
			"another port", key, addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s: this machine does not have the address of %s; write one that "+
			"it has, or 0.0.0.0 for all", key, addr)
	case errors.Is(err, fs.ErrPermission):
		return nil, starting(fmt.Errorf("%s: %w; choose a port from 1024 on, or give the process "+
			"CAP_NET_BIND_SERVICE", key, err))
	case err != nil:
		return nil, starting(fmt.Errorf("%s: %w", key, err))
	}
	return l, nil
}

// unusableError means that serve cannot start because a file, folder or port that the
// configuration names cannot be used, so that it would fail again.
type unusableError struct{ error }

func (e unusableError) Unwrap() error { return e.error }

// starting marks an error that another start would meet again. An address in use, a store that
// another process has open, a full disk and an unreachable server are not marked: they may be gone
// at the next start.
func starting(err error) error {
	for _, lasting := range []error{cache.ErrEncryption, fs.ErrPermission, fs.ErrNotExist,
		syscall.ENOTDIR, syscall.EROFS} {
		if errors.Is(err, lasting) {
			return unusableError{err}
		}
	}
	if _, ok := errors.AsType[cache.SecretFileError](err); ok {
		return unusableError{err}
	}
	return err
}

func addressOf(l net.Listener) string {
	if l == nil {
		return "none"
	}
	return l.Addr().String()
}
