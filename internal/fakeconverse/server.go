package fakeconverse

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"killick/internal/fakeserver"
)

// Config is the script. Functions must be safe for concurrent use.
type Config struct {
	// Reply returns what the model answers. If nil, a short text.
	Reply func(*Request) []Block
	// Window is how many tokens of four bytes a request may have, 0 for no limit.
	Window int
	// InStream: a request that is too long is refused in the first frame of the stream.
	InStream bool
	// Separate refuses results beside other blocks, as models of Meta, Mistral and others do.
	Separate bool
	// Binds has the model think, and refuse thinking after other messages than it was made after,
	// as Claude does.
	Binds bool
	// Untooled takes calls without a toolConfig, which recorded conversations do not have.
	Untooled bool
	// Record keeps every request for Requests.
	Record bool
}

// Server is a scripted upstream that is running. Each of its Requests has a [Found] as its note.
type Server struct {
	*fakeserver.Server
	cfg  Config
	seed maphash.Seed

	mu           sync.Mutex
	cached, seen map[uint64]bool // prefixes: written at cache points, and all
}

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

// URL returns the base URL for clients, to which they add /model/NAME/converse.
func (s *Server) URL() string { return s.Origin() }

// Found is what was found out about a request.
type Found struct {
	Usage
	Refused string // the message of a refusal, "" if there was none
}

// Usage is what a request costs, in tokens.
type Usage struct {
	Input, CacheRead, CacheWrite int
	ByPrefix                     int // what a cache of any prefix would have read
}

// Prompt returns the tokens of the prompt.
func (u Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheWrite }

// output is the tokens of every answer.
const output = 7

func fail(x *fakeserver.Exchange, status int, message string) {
	x.Note(Found{Refused: message})
	x.Answer(status, fakeserver.EncodeJSON(map[string]string{"message": message}))
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

const media = "application/vnd.amazon.eventstream"

func same(event []byte) []byte { return event }

// Frame returns an event, or an exception, in a frame, as Bedrock streams
// (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html).
func Frame(kind, name string, payload any) []byte {
	var b bytes.Buffer
	err := eventstream.NewEncoder().Encode(&b, eventstream.Message{
		Headers: eventstream.Headers{
			{Name: ":" + kind + "-type", Value: eventstream.StringValue(name)},
			{Name: ":content-type", Value: eventstream.StringValue("application/json")},
			{Name: ":message-type", Value: eventstream.StringValue(kind)},
		},
		Payload: fakeserver.EncodeJSON(payload),
	})
	if err != nil {
		panic(err) // a Buffer takes everything
	}
	return b.Bytes()
}
