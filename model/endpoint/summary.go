package endpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"killick/proxy/format"
	"killick/rawjson"
	"killick/view"
	"killick/view/marks"
)

var errNoSummary = errors.New("the endpoint writes no summaries")

// noSummaryWords match the errors of endpoints that do not support summaries: gateways that drop
// the mandatory header, and APIs without it (…/compaction-on-demand, errors; BerriAI/litellm#41202
// for the wording of unknown members).
var noSummaryWords = []string{"extra inputs are not permitted", "anthropic-beta"}

// Summarize asks the API of the request's own upstream to write a summary. An endpoint without
// support is not asked again. An error wraps one of this package's.
func (c *Client) Summarize(ctx context.Context, r Request) (Reply, error) {
	p, ok := protocols[r.format()].(summarizer)
	known := c.dialects.get(r.Target)
	if !ok || r.Prefix == nil || known.noSummary {
		return Reply{}, fmt.Errorf("%w: %w", ErrRejected, errNoSummary)
	}
	r.summarize = true
	got, rejected, err := c.send(ctx, &r, written{body: p.summary(&r)})
	if rejected.status != 0 && containsAny(strings.ToLower(rejected.words), noSummaryWords) {
		known.noSummary = true
		c.dialects.learn(r.Target, known)
	}
	switch {
	case err != nil:
		return Reply{}, err
	case got.Refused:
		return Reply{}, fmt.Errorf("%w: no summary", ErrRefused)
	case got.Message == "":
		return Reply{}, fmt.Errorf("%w: an answer without a summary", ErrUnavailable)
	}
	return got, nil
}

// Source of all that follows:
// https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand, and the members of
// anthropic-sdk-go v1.84.0 (BetaMessageNewParams.Compaction, BetaCompactionBlock).

// summary implements [summarizer]. System, tools and thinking are those of the conversation: the
// thinking of turns after the summary is only valid if they are the same. Members that the API
// rejects together with the parameter are removed.
func (messagesAPI) summary(r *Request) []byte {
	set := map[string]rawjson.Value{
		"compaction":         rawjson.Value(`{"type":"summarize"}`),
		"stream":             nil,
		"stop_sequences":     nil,
		"context_management": nil,
		"output_format":      nil,
		"max_tokens":         rawjson.Value(strconv.Itoa(maxMessageTokens(r))),
	}
	if config := r.Prefix.Field("output_config"); config.Get("format").Kind() > rawjson.Null {
		set["output_config"] = config.Without("format")
	}
	if kind := r.Prefix.Field("tool_choice").Get("type"); kind.Is("any") || kind.Is("tool") {
		set["tool_choice"] = rawjson.Value(`{"type":"auto"}`)
	}
	return rawjson.WithMembers(r.Prefix.Splice(summarized(r)), set)
}

// summarized returns the messages to summarise. If one of those that are left out had a cache mark,
// the last one gets it, so that what was cached of them is found.
func summarized(r *Request) []view.Piece {
	all := r.Prefix.Messages()
	n := max(0, len(all)-r.Kept)
	for i := len(all) - 1; i >= n && n > 0; i-- {
		name, mark := lastMark(&all[i])
		if mark == nil {
			continue
		}
		if raw := marked(&all[n-1], name, mark); raw != nil {
			return []view.Piece{{From: 0, To: n - 1}, {From: n - 1, To: n, Raw: raw}}
		}
		break
	}
	return []view.Piece{{From: 0, To: n}}
}

// marked returns a result, or a user message with one text, with a cache mark added; nil for
// others, and for messages with a mark.
func marked(m *view.Message, name string, mark rawjson.Value) []byte {
	text := m.Content()
	switch set := map[string]rawjson.Value{name: mark}; {
	case marks.MayBeIn(m.Raw):
		return nil
	case m.Role() == view.Tool:
		return rawjson.WithMembers(m.Raw, set)
	case m.Role() == view.User && text.Kind() == rawjson.String && len(text) > len(`""`):
		part := rawjson.WithMembers([]byte(`{"type":"text","text":`+string(text)+`}`), set)
		return m.WithContent([]byte(`[` + string(part) + `]`))
	}
	return nil
}

// lastMark returns the cache mark of a result, or of the last part of a message that has one.
func lastMark(m *view.Message) (name string, mark rawjson.Value) {
	if !marks.MayBeIn(m.Raw) {
		return "", nil
	}
	if m.Role() == view.Tool {
		return marks.Of(m.Raw)
	}
	for part := range m.Parts() {
		if other, found := marks.Of(part.Raw); found != nil {
			name, mark = other, found
		}
	}
	return name, mark
}

// readSummary implements [summarizer]. The block becomes a separate message, unchanged. An answer
// without one is billed anyway. Its top-level usage is zero: the real usage is in the iterations.
func (messagesAPI) readSummary(reply rawjson.Value) (a answer, err error) {
	content := reply.Get("content")
	if content.Kind() != rawjson.Array {
		return answer{}, errNoAnswer
	}
	stop := reply.Get("stop_reason")
	a.reply.Refused = stop.Is("refusal")
	a.reply.Cut = stop.Is("max_tokens") || stop.Is("model_context_window_exceeded")
	for block := range content.Elements() {
		text := block.Get("content")
		if stop.Is("compaction") && block.Get("type").Is("compaction") &&
			text.Kind() == rawjson.String && block.Get("signature").Kind() == rawjson.String {
			a.reply.Text = text.Text()
			a.reply.Message = `{"role":"assistant","content":[` + string(block) + `]}`
		}
	}
	for one := range reply.Get("usage").Get("iterations").Elements() {
		usage := slices.Concat([]byte(`{"usage":`), one, []byte(`}`))
		a.used.Add(reportedUsage(format.Messages, usage))
	}
	return a, nil
}
