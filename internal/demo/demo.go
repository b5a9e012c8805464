// Package demo replays an agent's session, once straight to a scripted upstream and once through
// the proxy, and draws the results. It needs no key and no network, and writes nothing to disk.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"killick/internal/config"
	"killick/internal/config/load"
	"killick/internal/fakeupstream"
	"killick/internal/terminal"
	"killick/internal/wire"
	"killick/tokenizer"
	"killick/view"
)

// The session is short, so it is compacted at a smaller size than a model's window requires.
const (
	DefaultTrigger = "16000"
	DefaultTarget  = "8000"
)

// Config is serve's default configuration with the changes that the demo needs. It ignores the
// environment, so that the demo is the same everywhere.
func Config(trigger, target string) (config.Config, error) {
	s, err := load.Config(load.Sources{Flags: []load.Flag{
		{Name: "--trigger", Path: "compaction.trigger", Value: trigger},
		{Name: "--target", Path: "compaction.target", Value: target},
	}})
	if err != nil {
		return config.Config{}, err
	}
	s.Cache.InMemory = true
	s.Log.Level = "warn"
	return s.Config, nil
}

// Run replays the session and measures both ways.
func Run(
	ctx context.Context, c config.Config, p *terminal.Progress, logTo io.Writer,
) (*Report, error) {
	start := time.Now()
	defer p.Clear()
	session, err := LoadSession()
	if err != nil {
		return nil, err
	}
	scene, err := openScene(ctx, c, wire.NewLogger(c.Log, p.Above(logTo)))
	if err != nil {
		return nil, fmt.Errorf("setting up the demo: %w", err)
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

// openScene starts everything. The proxy is the one that serve runs.
func openScene(ctx context.Context, c config.Config, log *slog.Logger) (_ *scene, err error) {
	s := &scene{client: &http.Client{Transport: &http.Transport{}}, served: make(chan error, 1)}
	script := fakeupstream.Config{Count: upstreamCounter(), Record: true}
	if s.direct, err = fakeupstream.Start(script); err != nil {
		return nil, err
	}
	if s.proxied, err = fakeupstream.Start(script); err != nil {
		s.direct.Close()
		return nil, err
	}
	c.Upstream.BaseURL, c.Upstreams = s.proxied.URL(), nil
	var public, admin net.Listener
	if public, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
		admin, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err == nil {
		s.app, err = wire.Build(c, log)
	}
	if err != nil {
		closeListeners(public, admin)
		s.direct.Close()
		s.proxied.Close()
		return nil, err
	}
	s.proxy, s.admin = "http://"+public.Addr().String(), "http://"+admin.Addr().String()
	ctx, s.stop = context.WithCancel(ctx)
	go func() { s.served <- s.app.Proxy.Serve(ctx, public, admin) }()
	return s, nil
}

func closeListeners(listeners ...net.Listener) {
	for _, l := range listeners {
		if l != nil {
			_ = l.Close() // nothing was started
		}
	}
}

// close ends everything and waits for it.
func (s *scene) close() error {
	s.client.CloseIdleConnections()
	s.stop()
	err := errors.Join(<-s.served, s.app.Close())
	s.direct.Close()
	s.proxied.Close()
	return err
}

// upstreamCounter counts for the scripted upstreams. They have a counter of their own, so that the
// proxy's starts with empty caches, as in normal use.
func upstreamCounter() func(*view.Request) ([]int, int) {
	counter := tokenizer.New(tokenizer.Options{})
	return func(req *view.Request) ([]int, int) {
		b := counter.For(req.Model()).Request(req)
		return b.Messages, b.Tools + b.Overhead
	}
}
