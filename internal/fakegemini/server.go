package fakegemini

import (
	"encoding/json"
	"net/http"
	"strings"

	"killick/internal/fakeserver"
)

// Config is the script. Functions must be safe for concurrent use.
type Config struct {
	// Reply returns what the model answers. If nil, a short text.
	Reply func(*Request) []Part
	// Window is how many tokens of four bytes a request may have, 0 for no limit.
	Window int
	// Signs makes the model sign the first call of each step, and refuse one of the current turn
	// without its signature, as Gemini 3 does.
	Signs bool
	// Record keeps every request for Requests.
	Record bool
}

// Server is a scripted upstream that is running. Each of its Requests has a [Found] as its note.
type Server struct {
	*fakeserver.Server
	cfg Config
}

// New starts a scripted upstream on a free port of 127.0.0.1. It panics when there is none.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg}
	s.Server = fakeserver.Must(fakeserver.Start(fakeserver.Config{
		Handle: s.answer,
		TooLarge: func(x *fakeserver.Exchange, _ int64) {
			fail(x, http.StatusRequestEntityTooLarge, "Request payload size exceeds the limit.")
		},
		Record: cfg.Record,
	}))
	return s
}

// URL returns the base URL for clients, to which they add /v1beta/models/NAME:generateContent, or
// /v1internal:generateContent for Code Assist.
func (s *Server) URL() string { return s.Origin() }

// Found is what was found out about a request.
type Found struct {
	Tokens  int    // of the prompt, of four bytes each
	Refused string // the message of a refusal, "" if there was none
}

// statuses are the names of the errors with which this server answers.
var statuses = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusNotFound: "NOT_FOUND",
	http.StatusRequestEntityTooLarge: "INVALID_ARGUMENT",
}

func fail(x *fakeserver.Exchange, status int, message string) {
	x.Note(Found{Refused: message})
	x.Answer(status, fakeserver.EncodeJSON(map[string]any{"error": map[string]any{
		"code": status, "message": message, "status": statuses[status],
	}}))
}

func (s *Server) answer(x *fakeserver.Exchange) {
	path := x.Request.URL.Path
	stream := strings.HasSuffix(path, ":streamGenerateContent")
	if !stream && !strings.HasSuffix(path, ":generateContent") {
		if assists(path) {
			aboutUsers(x)
			return
		}
		fail(x, http.StatusNotFound, "Requested entity was not found.")
		return
	}
	body, err := x.DecodedBody()
	r := Request{Body: body}
	if err == nil && assists(path) {
		var refused string
		if r.Body, refused = unwrapped(body); refused != "" {
			fail(x, http.StatusBadRequest, refused)
			return
		}
	}
	if err == nil {
		err = json.Unmarshal(r.Body, &r)
	}
	if err != nil {
		fail(x, http.StatusBadRequest, "Invalid JSON payload received.")
		return
	}
	if message := r.check(s.cfg.Signs); message != "" {
		fail(x, http.StatusBadRequest, message)
		return
	}
	tokens := len(body) / 4
	if s.cfg.Window > 0 && tokens > s.cfg.Window {
		fail(x, http.StatusBadRequest, "The input token count exceeds the maximum number of "+
			"tokens allowed "+string(fakeserver.EncodeJSON(s.cfg.Window))+".")
		return
	}
	s.reply(x, &r, tokens, stream)
}

// reply answers with the parts of the script, one in each event of a stream.
func (s *Server) reply(x *fakeserver.Exchange, r *Request, tokens int, stream bool) {
	x.Note(Found{Tokens: tokens})
	text := "Understood."
	parts := []Part{{Text: &text}}
	if s.cfg.Reply != nil {
		parts = s.cfg.Reply(r)
	}
	for i := range parts {
		if s.cfg.Signs && parts[i].Call != nil {
			parts[i].Signature = signatureOf(parts[i].Call)
			break
		}
	}
	chunk := chunk
	if assists(x.Request.URL.Path) {
		chunk = wrapped
	}
	if !stream {
		x.Answer(http.StatusOK, chunk(parts, tokens, true))
		return
	}
	if x.Request.URL.Query().Get("alt") != "sse" {
		var list [][]byte
		for i := range parts {
			list = append(list, chunk(parts[i:i+1], tokens, i == len(parts)-1))
		}
		out := []byte{'['}
		for i, piece := range list {
			if i > 0 {
				out = append(out, ",\r\n"...)
			}
			out = append(out, piece...)
		}
		x.Answer(http.StatusOK, append(out, ']'))
		return
	}
	x.StartStream()
	for i := range parts {
		x.Event("", chunk(parts[i:i+1], tokens, i == len(parts)-1))
	}
	x.EndStream()
}

// chunk returns a GenerateContentResponse.
func chunk(parts []Part, tokens int, last bool) []byte {
	candidate := map[string]any{
		"index": 0, "content": Content{Role: "model", Parts: parts},
	}
	if last {
		candidate["finishReason"] = "STOP"
	}
	return fakeserver.EncodeJSON(map[string]any{
		"candidates": []any{candidate}, "modelVersion": "scripted",
		"usageMetadata": map[string]any{
			"promptTokenCount": tokens, "candidatesTokenCount": 7, "totalTokenCount": tokens + 7,
		},
	})
}

// wrapped returns a GenerateContentResponse within one of Code Assist.
func wrapped(parts []Part, tokens int, last bool) []byte {
	return fakeserver.EncodeJSON(map[string]any{
		"response": json.RawMessage(chunk(parts, tokens, last)), "traceId": "trace-1",
	})
}
