package proxy

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"killick/chat"
	"killick/proxy/body"
	"killick/proxy/expand"
	"killick/proxy/fault"
	"killick/proxy/format"
	"killick/proxy/mcp"
	"killick/proxy/stored"
	"killick/proxy/tap"
)

// This file lets models read what was left out: it adds the tool killick_expand to requests and
// answers its calls while the reply is streamed, or serves it to clients over MCP.

// offer adds the tool to the request, if it may have it. The Compactor gets the request with the
// tool, so that it is counted.
func (x *exchange) offer() {
	defer x.proxy.failOpenOnPanic("expand")
	opt := &x.proxy.opt
	if opt.Expand != ExpandTool || opt.Originals == nil || x.mode != ModeOn || x.wire.InFrames {
		return
	}
	at, ok := expand.Place(x.wire.Format, x.sent.plain)
	if !ok || !x.identify() {
		return
	}
	req, err := x.proxy.parser.Parse(x.wire.View, x.sender.who, x.sent.plain)
	if err != nil {
		return
	}
	rules := x.wire.View.Rules(req)
	if rules.Passthrough != "" {
		return
	}
	x.sent.plain = expand.Offer(x.wire.Format, x.sent.plain, at)
	x.sent.expansion = &expansion{
		dropThinking: rules.DropSigned && x.wire.Format == format.Messages,
	}
}

// expanded returns the reply with the calls of the tool answered. r is the request that got it.
func (x *exchange) expanded(r *http.Request, res *http.Response) (*http.Response, error) {
	if x.sent.expansion == nil {
		return res, nil
	}
	s := &expand.Session{
		Format:       x.wire.Format,
		Body:         x.sent.body.Bytes(),
		Lookup:       x.proxy.lookup(x.sender.who),
		DropThinking: x.sent.expansion.dropThinking,
		Report:       x.reportExpansion,
	}
	s.Send = func(next []byte) (*http.Response, error) {
		again := r.Clone(r.Context())
		held := body.Hold(next)
		again.ContentLength, again.GetBody = held.Len(), held.Open
		again.Body, _ = held.Open() // it has not been released
		res, err := x.proxy.send(x, again)
		if err != nil {
			return nil, err
		}
		x.watch(res)
		return res, nil
	}
	x.watch(res)
	return s.Reply(r.Context(), res)
}

// watch has one of several replies read within the time limits, and records its usage.
func (x *exchange) watch(res *http.Response) {
	x.sent.expansion.rounds++
	res.Body = &roundBody{ReadCloser: res.Body, x: x,
		tap: tap.New(res.Header, x.wire.Format, &roundObserver{x: x})}
}

// roundBody is the body of one of the replies that make up the client's. It may be closed while it
// is being read.
type roundBody struct {
	io.ReadCloser
	x   *exchange
	mu  sync.Mutex
	tap *tap.Tap
}

func (b *roundBody) Read(p []byte) (int, error) {
	b.x.stall.Arm(b.x.proxy.opt.Timeouts.Idle)
	n, err := b.ReadCloser.Read(p)
	b.x.stall.Disarm()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tap.Feed(p[:n])
	if err != nil {
		b.tap.End()
	}
	return n, err
}

func (b *roundBody) Close() error {
	b.mu.Lock()
	b.tap.End()
	b.mu.Unlock()
	return b.ReadCloser.Close()
}

// roundObserver sums up the usage of several replies. A reply reports its usage more than once: the
// last report counts.
type roundObserver struct {
	x     *exchange
	added chat.Usage
}

func (o *roundObserver) Usage(u chat.Usage) {
	x := o.x
	x.answer.usage.PromptTokens += u.PromptTokens - o.added.PromptTokens
	x.answer.usage.CachedTokens += u.CachedTokens - o.added.CachedTokens
	x.answer.usage.CompletionTokens += u.CompletionTokens - o.added.CompletionTokens
	o.added, x.answer.hasUsage = u, true
	if x.sent.expansion.rounds == 1 {
		x.sent.expansion.first, x.sent.expansion.hasFirst = u, true
	}
}

func (o *roundObserver) WindowFull() { o.x.proxy.metrics.windowFull() }

// reportExpansion counts and logs the outcome of a call.
func (x *exchange) reportExpansion(o expand.Outcome) {
	if o == expand.Answered {
		x.sent.expansion.answered++
	}
	x.proxy.reportExpansion(x.in.Context(), x.sender.who, o)
}

func (p *Proxy) reportExpansion(ctx context.Context, who string, o expand.Outcome) {
	p.metrics.expansions.With(string(o)).Inc()
	p.opt.Logger.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "expansion",
		slog.String("outcome", string(o)), clientAttr(who))
}

// lookup reads what is stored for a client.
func (p *Proxy) lookup(who string) expand.Lookup {
	return func(ctx context.Context, ref string) (text []byte, err error) {
		defer func() {
			if v := recover(); v != nil {
				p.reportPanic("expand", v)
				err = errors.New("reading an original panicked")
			}
		}()
		if p.opt.Originals == nil || who == "" {
			return nil, expand.ErrUnknown
		}
		text, err = p.opt.Originals.Original(ctx, who, ref)
		switch {
		case errors.Is(err, stored.ErrNoOriginal):
			return nil, expand.ErrUnknown
		case err != nil && ctx.Err() == nil:
			p.opt.Logger.Error("an original could not be read",
				slog.String("cause", fault.CauseText(err)))
		}
		return text, err
	}
}

// newMCP returns the MCP server of the tool.
func (p *Proxy) newMCP() http.Handler {
	return mcp.Handler(p.opt.Version, func(r *http.Request) mcp.Expand {
		who := p.identity.OfUnforwarded(r)
		return func(ctx context.Context, arguments []byte) (string, bool) {
			text, outcome := expand.Answer(ctx, p.lookup(who), arguments)
			p.reportExpansion(ctx, who, outcome)
			return text, outcome == expand.Answered
		}
	})
}
