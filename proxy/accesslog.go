package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"killick/compaction"
	"killick/proxy/target"
)

// logAccess writes one line for a finished exchange, after those about its compaction. It holds no
// path, query, header value or content: paths and queries may contain keys, too. Of the body it
// only names the model.
func (p *Proxy) logAccess(x *exchange) {
	level, twice := slog.LevelInfo, x.versionTwice()
	if twice || x.fault != nil && !x.fault.Usual() || len(x.outcome.FailOpens) > 0 {
		level = slog.LevelWarn
	}
	ctx := context.WithoutCancel(x.in.Context())
	if !p.opt.Logger.Enabled(ctx, level) {
		return
	}
	p.logCompaction(ctx, &x.outcome)
	x.identify()
	attrs := append(make([]slog.Attr, 0, 20),
		slog.String("method", method(x.in.Method)),
		slog.String("route", string(x.class)),
		slog.Int("status", x.status()),
		slog.Float64("duration_ms", milliseconds(time.Since(x.start))),
		slog.Int64("in_bytes", x.receivedBytes()),
		slog.Int64("out_bytes", x.reply.Bytes()),
		slog.String("request_id", x.id()),
		clientAttr(x.sender.who),
	)
	if x.sender.key != nil {
		attrs = append(attrs, slog.String("key", x.sender.key.Name))
	}
	if x.model != "" {
		attrs = append(attrs, slog.String("model", x.model))
	}
	if x.wire.Compacts() {
		attrs = x.compactionAttrs(attrs)
	} else {
		attrs = append(attrs, slog.String("kind", string(x.kind)))
	}
	if x.answer.hasUsage {
		attrs = append(attrs, slog.Int("prompt_tokens", x.answer.usage.PromptTokens),
			slog.Int("cached_tokens", x.answer.usage.CachedTokens),
			slog.Int("completion_tokens", x.answer.usage.CompletionTokens))
	}
	if name := x.upstreamName(); name != "" {
		attrs = append(attrs, slog.String("upstream", name))
	}
	if x.answer.status != 0 && x.answer.status != x.status() {
		attrs = append(attrs, slog.Int("upstream_status", x.answer.status))
	}
	if x.fault != nil {
		attrs = append(attrs, x.fault.Attrs()...)
	}
	if twice {
		attrs = append(attrs, slog.String("hint", "the path begins with /v1/v1; "+
			"this client's base URL must not end in /v1, since the client adds it"))
	}
	p.opt.Logger.LogAttrs(ctx, level, "request", attrs...)
}

// logCompaction writes a line for each kind of internal error that did not fail the request, with
// the first cause, and for each decision of the plan.
func (p *Proxy) logCompaction(ctx context.Context, out *compaction.Outcome) {
	times := map[string]int{}
	for _, f := range out.FailOpens {
		times[f.Reason]++
	}
	for _, f := range out.FailOpens {
		n := times[f.Reason]
		if n == 0 {
			continue // logged
		}
		times[f.Reason] = 0
		attrs := []slog.Attr{slog.String("reason", word(f.Reason))}
		if f.Err != nil {
			attrs = append(attrs, slog.String("cause", f.Err.Error()))
		}
		if n > 1 {
			attrs = append(attrs, slog.Int("times", n))
		}
		p.opt.Logger.LogAttrs(ctx, slog.LevelWarn, "failed open", attrs...)
	}
	for _, plan := range out.Decisions {
		p.opt.Logger.LogAttrs(ctx, slog.LevelDebug, "plan", slog.String("decision", plan.String()))
	}
}

// versionTwice reports whether the upstream has nothing at a path that begins with /v1/v1: Claude
// Code and Anthropic's SDKs add /v1 to their base URL, OpenAI's do not.
func (x *exchange) versionTwice() bool {
	return x.answer.status == http.StatusNotFound &&
		strings.HasPrefix(target.RawPath(x.in), "/v1/v1/")
}

// loggedModel returns the model that a request names, if that looks like a name: a client may send
// any text there, and nothing of a conversation may be logged.
func loggedModel(model string) string {
	if len(model) > longestModel || strings.ContainsFunc(model, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') &&
			!strings.ContainsRune("-._:/@+", r)
	}) {
		return ""
	}
	return model
}

// longestModel is longer than the name of any model.
const longestModel = 100

func (x *exchange) compactionAttrs(attrs []slog.Attr) []slog.Attr {
	if action := x.actions(); action != "" { // otherwise it was refused earlier
		attrs = append(attrs, slog.String("action", action),
			slog.Float64("added_ms", milliseconds(x.added)))
	}
	if raw, sent := x.tokens(); raw > 0 || sent > 0 {
		attrs = append(attrs, slog.Int("raw_tokens", raw), slog.Int("sent_tokens", sent))
	}
	if x.sent.changed && len(x.outcome.Dropped) > 0 {
		attrs = append(attrs, slog.String("dropped", droppedText(x.outcome.Dropped)))
	}
	if e := x.sent.expansion; e != nil && e.rounds > 1 {
		attrs = append(attrs, slog.Int("expanded", e.answered), slog.Int("replies", e.rounds))
	}
	if reason := x.reason(); reason != "" {
		attrs = append(attrs, slog.String("reason", reason))
	}
	return attrs
}

// method returns a request's method if it is a known one: a client may send any
// word.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return m
	}
	return "other"
}

func (x *exchange) receivedBytes() int64 {
	if x.sent.upload != nil {
		return x.sent.upload.Len()
	}
	return x.inBytes
}

// log writes the access log, and recovers from panics, since the reply has not ended yet.
func (p *Proxy) log(x *exchange) {
	defer func() {
		if recover() != nil {
			p.metrics.panics.Inc() // the log itself failed
		}
	}()
	p.logAccess(x)
}
