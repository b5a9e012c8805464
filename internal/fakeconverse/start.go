package fakeconverse

import (
	"encoding/json"
	"hash/maphash"
	"net/http"
	"net/url"
	"strings"

	"killick/internal/fakeserver"
)

// New starts a scripted upstream on a free port of 127.0.0.1. It panics when there is none.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, seed: maphash.MakeSeed(), cached: map[uint64]bool{},
		seen: map[uint64]bool{}}
	s.Server = fakeserver.Must(fakeserver.Start(fakeserver.Config{
		Handle: s.answer,
		TooLarge: func(x *fakeserver.Exchange, _ int64) {
			fail(x, http.StatusBadRequest, "Member must have length less than or equal to 25000000")
		},
		Record: cfg.Record,
	}))
	return s
}

func (s *Server) answer(x *fakeserver.Exchange) {
	r := Request{}
	name, stream, ok := modelIn(x.Request.URL.EscapedPath())
	if !ok {
		fail(x, http.StatusNotFound, "UnknownOperationException")
		return
	}
	body, err := x.DecodedBody()
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	if err != nil {
		fail(x, http.StatusBadRequest, "The request body is not valid JSON.")
		return
	}
	r.Body, r.Model = body, name
	if message := s.check(&r); message != "" {
		fail(x, http.StatusBadRequest, message)
		return
	}
	found := Found{Usage: s.usage(&r)}
	if s.cfg.Window > 0 && found.Prompt() > s.cfg.Window {
		found.Refused = "Input is too long for requested model."
		if s.cfg.InStream && stream {
			x.Note(found)
			x.StartFrames(media, same)
			x.Event("", Frame("exception", "validationException",
				map[string]string{"message": found.Refused}))
			x.EndStream()
			return
		}
		fail(x, http.StatusBadRequest, found.Refused)
		return
	}
	x.Note(found)
	s.reply(x, &r, found.Usage, stream)
}

// modelIn returns the model that a path names, and whether it asks for a stream.
func modelIn(path string) (name string, stream, ok bool) {
	_, rest, ok := strings.Cut(path, "/model/")
	name, verb, found := strings.Cut(rest, "/")
	if name, err := url.PathUnescape(name); ok && found && err == nil {
		return name, verb == "converse-stream", verb == "converse" || verb == "converse-stream"
	}
	return "", false, false
}

// reply answers with the blocks of the script, after a thought if the model thinks.
func (s *Server) reply(x *fakeserver.Exchange, r *Request, u Usage, stream bool) {
	text := "Understood."
	blocks := []Block{{Text: &text}}
	if s.cfg.Reply != nil {
		blocks = s.cfg.Reply(r)
	}
	if s.cfg.Binds {
		thought := Reasoning{}
		thought.Text.Text = "I look at what came back."
		thought.Text.Signature = r.signatureOf(r.Messages, nil, thought.Text.Text)
		blocks = append([]Block{{Reasoning: &thought}}, blocks...)
	}
	usage := map[string]int{"inputTokens": u.Input, "outputTokens": output,
		"totalTokens": u.Prompt() + output, "cacheReadInputTokens": u.CacheRead,
		"cacheWriteInputTokens": u.CacheWrite}
	reason := "end_turn"
	for i := range blocks {
		if blocks[i].Call != nil {
			reason = "tool_use"
		}
	}
	metrics := map[string]int{"latencyMs": 1}
	if !stream {
		x.Answer(http.StatusOK, fakeserver.EncodeJSON(map[string]any{
			"metrics": metrics, "stopReason": reason, "usage": usage,
			"output": map[string]any{"message": Message{Role: "assistant", Content: blocks}},
		}))
		return
	}
	x.StartFrames(media, same)
	event := func(name string, payload any) { x.Event("", Frame("event", name, payload)) }
	event("messageStart", map[string]string{"role": "assistant"})
	for i := range blocks {
		blocks[i].stream(i, event)
		event("contentBlockStop", map[string]int{"contentBlockIndex": i})
	}
	event("messageStop", map[string]string{"stopReason": reason})
	event("metadata", map[string]any{"usage": usage, "metrics": metrics})
	x.EndStream()
}

// stream sends the block as the deltas of a stream.
func (b *Block) stream(index int, event func(name string, payload any)) {
	delta := func(value any) {
		event("contentBlockDelta", map[string]any{"contentBlockIndex": index, "delta": value,
			"p": "abcdefghijk"})
	}
	switch {
	case b.Text != nil:
		delta(map[string]string{"text": *b.Text})
	case b.Reasoning != nil:
		text := b.Reasoning.Text
		delta(map[string]any{"reasoningContent": map[string]string{"text": text.Text}})
		delta(map[string]any{"reasoningContent": map[string]string{"signature": text.Signature}})
	case b.Call != nil:
		event("contentBlockStart", map[string]any{"contentBlockIndex": index,
			"start": map[string]any{"toolUse": map[string]string{"toolUseId": b.Call.ID,
				"name": b.Call.Name}}})
		delta(map[string]any{"toolUse": map[string]string{"input": string(b.Call.Input)}})
	}
}
