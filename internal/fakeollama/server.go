package fakeollama

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"killick/internal/fakeserver"
)

// Config is the script. Functions must be safe for concurrent use.
type Config struct {
	// Reply returns what the model answers. If nil, a short text.
	Reply func(*Request) Message
	// Window is that of requests that set none, 0 for no limit.
	Window int
	// Breaks ends each stream with an error after its first line.
	Breaks bool
	// Record keeps every request for Requests.
	Record bool
}

// Server is a scripted upstream that is running. Each of its Requests has a [Found] as its note.
type Server struct {
	*fakeserver.Server
	cfg Config

	mu   sync.Mutex
	last []string // the texts of the last prompt, which the model holds evaluated
}

// New starts a scripted upstream on a free port of 127.0.0.1. It panics when there is none.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg}
	s.Server = fakeserver.Must(fakeserver.Start(fakeserver.Config{
		Handle: s.answer,
		TooLarge: func(x *fakeserver.Exchange, _ int64) {
			fail(x, http.StatusRequestEntityTooLarge, "http: request body too large")
		},
		Record: cfg.Record,
	}))
	return s
}

// URL returns the base URL for clients, to which they add /api/chat.
func (s *Server) URL() string { return s.Origin() }

// Found is what was found out about a request.
type Found struct {
	Prompt
	Held    int    // tokens of the prompt that were evaluated for the last one
	Refused string // the message of a refusal, "" if there was none
}

// output is the tokens of every answer.
const output = 7

func fail(x *fakeserver.Exchange, status int, message string) {
	x.Note(Found{Refused: message})
	x.Answer(status, fakeserver.EncodeJSON(map[string]string{"error": message}))
}

func (s *Server) answer(x *fakeserver.Exchange) {
	switch x.Request.URL.Path {
	case "/api/chat":
	case "/api/version":
		x.Answer(http.StatusOK, []byte(`{"version":"0.13.0"}`))
		return
	case "/api/tags":
		x.Answer(http.StatusOK, []byte(`{"models":[]}`))
		return
	default:
		fail(x, http.StatusNotFound, "404 page not found")
		return
	}
	var r Request
	body, err := x.DecodedBody()
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	if err != nil {
		fail(x, http.StatusBadRequest, err.Error())
		return
	}
	if message := r.check(); message != "" {
		fail(x, http.StatusBadRequest, message)
		return
	}
	window := s.cfg.Window
	if r.Options.NumCtx > 0 {
		window = r.Options.NumCtx
	}
	if r.Truncate != nil && !*r.Truncate {
		if n := r.prompt(0).Tokens; window > 0 && n > window {
			fail(x, http.StatusBadRequest, fmt.Sprintf(
				"prompt too long; exceeded max context length by %d tokens", n-window))
			return
		}
	}
	r.Body = body
	found := Found{Prompt: r.prompt(window)}
	found.Held = s.hold(found.Texts)
	x.Note(found)
	s.reply(x, &r, found.Tokens)
}

// hold has the model hold a prompt, and returns how many tokens of it were evaluated before.
func (s *Server) hold(texts []string) (held int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 0; i < min(len(texts), len(s.last)) && texts[i] == s.last[i]; i++ {
		held += len(texts[i])
	}
	s.last = texts
	return held / bytesAToken
}

// reply answers as the script says: a line for the text and one for the calls in a stream, before
// the one that ends it.
func (s *Server) reply(x *fakeserver.Exchange, r *Request, tokens int) {
	m := Message{Content: "Understood."}
	if s.cfg.Reply != nil {
		m = s.cfg.Reply(r)
	}
	m.Role = "assistant"
	whole := map[string]any{
		"model": r.Model, "created_at": "2026-11-27T09:00:00.123456789Z", "message": m,
		"done": true, "done_reason": "stop", "total_duration": 9, "load_duration": 1,
		"prompt_eval_count": tokens, "prompt_eval_duration": 2, "eval_count": output,
		"eval_duration": 3,
	}
	if r.Stream != nil && !*r.Stream {
		x.Answer(http.StatusOK, fakeserver.EncodeJSON(whole))
		return
	}
	line := func(m Message) []byte {
		m.Role = "assistant"
		return fakeserver.EncodeJSON(map[string]any{
			"model": r.Model, "created_at": whole["created_at"], "message": m, "done": false,
		})
	}
	x.StartFrames("application/x-ndjson", func(event []byte) []byte { return append(event, '\n') })
	x.Event("", line(Message{Content: m.Content, Thinking: m.Thinking}))
	if s.cfg.Breaks {
		x.Event("", []byte(`{"error":"an error was encountered while running the model"}`))
		x.EndStream()
		return
	}
	if len(m.ToolCalls) > 0 {
		x.Event("", line(Message{ToolCalls: m.ToolCalls}))
	}
	whole["message"] = Message{Role: "assistant"}
	x.Event("", fakeserver.EncodeJSON(whole))
	x.EndStream()
}
