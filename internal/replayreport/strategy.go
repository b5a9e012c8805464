package replayreport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/settings"
	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/internal/patherror"
	"killick/internal/terminal"
	"killick/internal/wire"
	"killick/proxy"
	"killick/replay"
	"killick/replay/billing"
	"killick/view"
)

// Strategy forwards what serve would forward under a configuration. Each conversation has its own
// store, in memory.
func Strategy(name string, c config.Config) replay.Strategy { return strategy(name, c, nil) }

// strategyAt is Strategy with the prices of a profile for every model, in decisions and in bills.
func strategyAt(name string, c config.Config, p billing.Profile) replay.Strategy {
	s := strategy(name, c, func(string) settings.Costs { return costsOf(p) })
	s.Profiles = []billing.Profile{p}
	return s
}

func strategy(name string, c config.Config, costs wire.Costs) replay.Strategy {
	windows := c.Windows()
	return replay.Strategy{
		Name: name,
		Trigger: func(t *replay.Transcript) int {
			w := settings.WindowOf(t.Model(), windows)
			trigger, _ := c.Compaction.Budget(w.Tokens, w.Reserve)
			return trigger
		},
		Open: func(now replay.Clock) (replay.Forwarder, func() error, error) {
			return openForwarder(c, now, costs)
		},
	}
}

// openForwarder wires the compactor for one conversation.
func openForwarder(
	c config.Config, now replay.Clock, costs wire.Costs,
) (replay.Forwarder, func() error, error) {
	if c.Compaction.Mode == config.ModeOff {
		return replay.Nothing().Open(now)
	}
	if c.Compaction.Summarizer == "model" && c.Compaction.Mode == config.ModeOn {
		return OpenScripted(c, fakeupstream.Scripted{}, now, costs)
	}
	l, err := wire.OpenLocal(c, nil, now, costs)
	if err != nil {
		return nil, nil, err
	}
	return forwarderOf(l, l.Owner("replay"), c.Compaction.Mode == config.ModeObserve), l.Close, nil
}

func forwarderOf(e proxy.Compactor, who string, observe bool) replay.Forwarder {
	var parser view.Parser // like the proxy's, it parses only what is new in a turn
	return func(body []byte) replay.Forwarded {
		if e.Fits(body, "", who, "") {
			return replay.Forwarded{Body: body, Reason: string(compaction.ReasonFits)}
		}
		req, err := parser.Parse(chat.Format, who, body)
		if err != nil {
			return replay.Forwarded{Body: body, Reason: notChat}
		}
		out := e.Compact(context.Background(), proxy.Request{Chat: req, Who: who, Observe: observe})
		f := forwardedAs(out)
		if observe {
			f.Body, f.Actions = body, nil
		}
		return f
	}
}

// openTranscripts reads the conversations of files; "-" is standard input.
func openTranscripts(
	names []string, stdin io.Reader, warn func(string),
) (all []*replay.Transcript, err error) {
	var empty []error
	for _, name := range names {
		read, err := readTranscripts(name, stdin)
		switch {
		case errors.Is(err, replay.ErrNoAnswer), errors.Is(err, replay.ErrNoConversation):
			empty = append(empty, err) // a folder of sessions may have some
		case err != nil:
			return nil, err
		}
		all = append(all, read...)
	}
	switch {
	case len(all) == 0 && len(empty) > 0:
		return nil, empty[0]
	case len(empty) > 0:
		warn(fmt.Sprintf("left out: %s without an answer of a model",
			terminal.Plural(len(empty), "file")))
	}
	replay.NameApart(all)
	return all, nil
}

func readTranscripts(name string, stdin io.Reader) ([]*replay.Transcript, error) {
	if name == "-" {
		return replay.Read("stdin", stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, patherror.Plain(err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory; name the files in it, such as %s", name,
			filepath.Join(name, "*.jsonl"))
	}
	return replay.Read(name, file)
}
