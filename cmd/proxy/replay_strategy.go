package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"killick/cache"
	"killick/chat"
	"killick/compactor"
	"killick/proxy"
	offline "killick/replay"
)

// replayStrategy is what serve would forward under a configuration. Each
// conversation has a store of its own, in memory.
func replayStrategy(name string, c Config) offline.Strategy {
	windows := c.Windows()
	return offline.Strategy{
		Name: name,
		Trigger: func(t *offline.Transcript) int {
			w := compactor.WindowOf(t.Model(), windows)
			trigger, _ := c.Compaction.Budget(w.Tokens, w.Reserve)
			return trigger
		},
		Open: func() (offline.Forwarder, func() error, error) { return openForwarder(c) },
	}
}

// openForwarder wires the compactor for one conversation.
func openForwarder(c Config) (offline.Forwarder, func() error, error) {
	if c.Compaction.Mode == ModeOff {
		return offline.Nothing().Open()
	}
	c.Cache.InMemory = true
	store, secret, err := openStore(c.Cache, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, fmt.Errorf("opening a store in memory: %w", err)
	}
	return forwarderOf(newEngine(&c, store, secret), secret, c.Compaction.Mode == ModeObserve), store.Close, nil
}

func forwarderOf(e proxy.Compactor, secret cache.Secret, observe bool) offline.Forwarder {
	who := secret.Who("replay")
	return func(body []byte) offline.Forwarded {
		if e.Fits(body) {
			return offline.Forwarded{Body: body, Reason: compactor.ReasonFits}
		}
		req, err := chat.Parse(body)
		if err != nil {
			return offline.Forwarded{Body: body, Reason: "not a chat request"}
		}
		out := e.Compact(context.Background(), proxy.Request{Chat: req, Who: who, Observe: observe})
		f := offline.Forwarded{Body: out.Body, Actions: out.Actions, Made: out.Made, Reason: out.Reason}
		for _, fault := range out.FailOpens {
			f.FailOpens = append(f.FailOpens, fault.Reason)
		}
		if observe {
			f.Body, f.Actions = body, nil
		}
		return f
	}
}

// openTranscripts reads the conversations of files; "-" is standard input.
func openTranscripts(names []string, stdin io.Reader) (all []*offline.Transcript, err error) {
	for _, name := range names {
		read, err := readTranscripts(name, stdin)
		if err != nil {
			return nil, err
		}
		all = append(all, read...)
	}
	return all, nil
}

func readTranscripts(name string, stdin io.Reader) ([]*offline.Transcript, error) {
	if name == "-" {
		return offline.Read("stdin", stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, plainPathError(err)
	}
	defer file.Close()
	return offline.Read(name, file)
}
