package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"killick/chat"
	"killick/internal/upstreamtest"
	"killick/tokenizer"
)

const demoLong = `Watch the proxy at work. An agent's session, written for this purpose, is replayed
turn by turn: each request goes once straight to a scripted upstream and once
through the proxy, which is wired as serve wires it, with its store in memory.
Then the two bills are set side by side.

No key and no network are needed, and nothing is written to disk. The scripted
upstream is no model: it counts tokens, keeps a prompt cache and refuses what
OpenAI refuses.`

const demoExample = `  proxy demo
  proxy demo --trigger 12000 --target 6000      compact earlier and further
  proxy demo --json | jq .after`

// The demo's session is shorter than a day's work, so it is compacted earlier
// than a model's window would ask for.
const (
	demoTrigger = "16000"
	demoTarget  = "8000"
)

func newDemo(env []string) *cobra.Command {
	var (
		trigger, target string
		asJSON, noColor bool
	)
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "See it work: no key, no network",
		Long:    demoLong,
		Example: demoExample,
		Args:    noArguments,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			c, err := demoConfig(trigger, target)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			out, progress := cmd.OutOrStdout(), cmd.ErrOrStderr()
			look := lookOf(out, env, noColor)
			report, err := runDemo(ctx, c, newProgress(progress, lookOf(progress, env, noColor)), progress)
			if err != nil && ctx.Err() != nil {
				return errors.New("stopped")
			}
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(out, report)
			}
			_, err = io.WriteString(out, drawReport(report, look))
			return err
		}),
	}
	cmd.Flags().StringVar(&trigger, "trigger", demoTrigger, "compact requests of more than this `amount`: tokens, or a share of the window")
	cmd.Flags().StringVar(&target, "target", demoTarget, "compact to this `amount`, likewise")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	cmd.Flags().BoolVar(&noColor, "no-color", false, "draw without colours, as NO_COLOR does")
	return cmd
}

// demoConfig is serve's default configuration but for what makes it a demo.
// The environment is left out: the demo is the same everywhere.
func demoConfig(trigger, target string) (Config, error) {
	s, err := load(sources{flags: []flagValue{
		{name: "--trigger", path: "compaction.trigger", value: trigger},
		{name: "--target", path: "compaction.target", value: target},
	}})
	if err != nil {
		return Config{}, err
	}
	s.Cache.InMemory = true
	s.Log.Level = "warn"
	return s.Config, nil
}

// runDemo replays the session and measures both ways.
func runDemo(ctx context.Context, c Config, p *progress, logTo io.Writer) (*demoReport, error) {
	start := time.Now()
	defer p.clear()
	session, err := loadSession()
	if err != nil {
		return nil, err
	}
	scene, err := openScene(ctx, c, newLogger(c.Log, p.above(logTo)))
	if err != nil {
		return nil, fmt.Errorf("setting the demo up: %w", err)
	}
	report, err := scene.replay(ctx, session, p)
	err = errors.Join(err, scene.close())
	if err != nil {
		return nil, err
	}
	report.Trigger, report.Target = c.Compaction.Trigger.String(), c.Compaction.Target.String()
	report.Seconds = time.Since(start).Seconds()
	return report, nil
}

// scene is all that the demo starts: two scripted upstreams, and the proxy in
// front of one of them.
type scene struct {
	plain, behind *upstreamtest.Server
	app           *app
	proxy, admin  string // addresses
	client        *http.Client
	stop          context.CancelFunc
	served        chan error
}

// openScene starts everything. The proxy is the one that serve runs.
func openScene(ctx context.Context, c Config, log *slog.Logger) (_ *scene, err error) {
	s := &scene{client: &http.Client{Transport: &http.Transport{}}, served: make(chan error, 1)}
	script := upstreamtest.Config{Count: demoCounter(), Record: true}
	if s.plain, err = upstreamtest.Start(script); err != nil {
		return nil, err
	}
	if s.behind, err = upstreamtest.Start(script); err != nil {
		s.plain.Close()
		return nil, err
	}
	c.Upstream.BaseURL = s.behind.URL()
	var public, admin net.Listener
	if public, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
		admin, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err == nil {
		s.app, err = build(c, log)
	}
	if err != nil {
		closeListeners(public, admin)
		s.plain.Close()
		s.behind.Close()
		return nil, err
	}
	s.proxy, s.admin = "http://"+public.Addr().String(), "http://"+admin.Addr().String()
	ctx, s.stop = context.WithCancel(ctx)
	go func() { s.served <- s.app.proxy.Serve(ctx, public, admin) }()
	return s, nil
}

func closeListeners(listeners ...net.Listener) {
	for _, l := range listeners {
		if l != nil {
			_ = l.Close() // nothing came of it
		}
	}
}

// close ends everything and waits for it.
func (s *scene) close() error {
	s.client.CloseIdleConnections()
	s.stop()
	err := errors.Join(<-s.served, s.app.close())
	s.plain.Close()
	s.behind.Close()
	return err
}

// demoCounter counts for the scripted upstreams. It is a counter of their
// own: the proxy's is as cold as it would be elsewhere.
func demoCounter() func(*chat.Request) ([]int, int) {
	counter := tokenizer.New(tokenizer.Options{})
	return func(req *chat.Request) ([]int, int) {
		b := counter.For(req.Model()).Request(req)
		return b.Messages, b.Tools + b.Overhead
	}
}
