package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"killick/chat"
	"killick/internal/upstreamtest"
	"killick/tokenizer"
)

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
