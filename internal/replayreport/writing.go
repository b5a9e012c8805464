package replayreport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"killick/chat"
	"killick/compaction"
	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/internal/wire"
	"killick/proxy"
	"killick/replay"
	"killick/tokenizer"
	"killick/view"
)

// A replay sends nothing anywhere. Where the configuration has a model write
// summaries, a scripted one stands in for it in this process: it is asked what the
// model would be asked, so what it reads is counted truly, its prompt cache
// included. What it writes is made by rules, and about as long as a model's.

// writer is what replays one conversation with it.
type writer struct {
	*wire.Local
	upstream *fakeupstream.Server
	client   *http.Client
	request  proxy.Request // but for its chat
	parser   view.Parser
}

// replayedKey is the credential of the client that is replayed.
const replayedKey = "Bearer replay"

// OpenScripted returns what forwards as serve would, with summaries by a scripted model. If costs
// is nil, they are the configuration's.
func OpenScripted(
	c config.Config, script fakeupstream.Scripted, now replay.Clock, costs wire.Costs,
) (replay.Forwarder, func() error, error) {
	w, err := openWriter(c, script, now, costs)
	if err != nil {
		return nil, nil, err
	}
	return w.forward, w.close, nil
}

// openWriter starts the scripted upstream and wires the compactor to it.
func openWriter(
	c config.Config, script fakeupstream.Scripted, now replay.Clock, costs wire.Costs,
) (_ *writer, err error) {
	w := &writer{client: &http.Client{Transport: &http.Transport{}}}
	answers := fakeupstream.Config{Count: upstreamCounter(), Scripted: &script}
	if w.upstream, err = fakeupstream.Start(answers); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.upstream.Close()
		}
	}()
	c.Upstreams = nil
	c.Upstream.BaseURL, c.Model.BaseURL, c.Model.APIKey = w.upstream.URL(), "", ""
	c.Probe.Model.BaseURL, c.Probe.Model.APIKey = "", ""
	if w.request.URL, err = url.Parse(w.upstream.URL() + "/chat/completions"); err != nil {
		return nil, fmt.Errorf("reading the scripted upstream's address: %w", err)
	}
	route := func(string) wire.Route { return &http.Transport{} }
	if w.Local, err = wire.OpenLocal(c, route, now, costs); err != nil {
		return nil, err
	}
	w.request.Who = w.Owner("replay")
	w.request.Credentials = http.Header{"Authorization": {replayedKey}}
	return w, nil
}

func (w *writer) close() error {
	err := w.Local.Close()
	w.client.CloseIdleConnections()
	w.upstream.Close()
	return err
}

// forward forwards a request, and has what it started prepared before the next
// comes: an agent takes longer for a turn.
func (w *writer) forward(body []byte) replay.Forwarded {
	if w.Fits(body, w.request.Who, "") {
		return replay.Forwarded{Body: body, Reason: string(compaction.ReasonFits)}
	}
	req, err := w.parser.Parse(chat.Format, w.request.Who, body)
	if err != nil {
		return replay.Forwarded{Body: body, Reason: notChat}
	}
	of := w.request
	of.Chat = req
	out := w.Compact(context.Background(), of)
	f := forwardedAs(out)
	if out.After == nil {
		return f
	}
	start, before := time.Now(), w.Spent()
	if err := w.answer(out.Body); err != nil {
		f.FailOpens = append(f.FailOpens, "scripted_upstream")
	}
	out.After(true)
	_ = w.Wait(context.Background()) // which never ends
	after := w.Spent()
	f.Aside = time.Since(start)
	f.Own = replay.Own{
		Calls: after.Calls - before.Calls, Prompt: after.PromptTokens - before.PromptTokens,
		Cached:     after.CachedTokens - before.CachedTokens,
		Completion: after.CompletionTokens - before.CompletionTokens,
		Dollars:    after.Cost - before.Cost,
	}
	return f
}

// answer has the upstream answer a turn, so that its prompt cache holds it.
func (w *writer) answer(body []byte) error {
	req, err := http.NewRequest(http.MethodPost, w.request.URL.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = w.request.Credentials.Clone()
	res, err := w.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// upstreamCounter counts for the scripted upstream.
func upstreamCounter() func(*view.Request) ([]int, int) {
	counter := tokenizer.New(tokenizer.Options{})
	return func(req *view.Request) ([]int, int) {
		b := counter.For(req.Model()).Request(req)
		return b.Messages, b.Tools + b.Overhead
	}
}
