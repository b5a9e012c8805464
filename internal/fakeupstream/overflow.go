package fakeupstream

import (
	"net/http"

	"killick/internal/fakeserver/openaiapi"
	"killick/rawjson"
	"killick/view"
)

// window is what the model of a request takes, 0 for no limit.
func (s *Server) window(req *view.Request) int {
	if s.cfg.Windows != nil {
		return s.cfg.Windows(req.Model())
	}
	return s.cfg.Window
}

// refuses answers a request that is too long, and reports whether it was.
func (x *exchange) refuses(req *view.Request, prompt, fixed int) bool {
	t := TooLong{Window: x.s.window(req), Prompt: prompt}
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if n, ok := req.Field(name).Int(); ok && t.Output == 0 {
			t.Output = n
		}
	}
	r := x.s.cfg.Refusal
	size := prompt
	if r.CountsOutput {
		size += t.Output
	}
	switch {
	case t.Window == 0 || size <= t.Window:
		return false
	case r.Body == nil && !r.InStream:
		x.fail(tooLong(req, t.Window, prompt, fixed))
		return true
	}
	body := tooLong(req, t.Window, prompt, fixed).Body()
	if r.Body != nil {
		body = []byte(r.Body(t))
	}
	if r.InStream && req.Stream() {
		x.StartStream()
		x.event(body)
		x.event([]byte("[DONE]"))
		x.EndStream()
		return true
	}
	x.Answer(max(r.Status, http.StatusBadRequest), body)
	return true
}

// tooLong is how OpenAI says that a request exceeds the window.
func tooLong(req *view.Request, window, prompt, fixed int) *openaiapi.Error {
	if req.Field("tools").Kind() == rawjson.Array ||
		req.Field("functions").Kind() == rawjson.Array {
		return openaiapi.BadRequest("messages", "context_length_exceeded",
			"This model's maximum context length is %d tokens. However, your messages resulted "+
				"in %d tokens (%d in the messages, %d in the functions). Please reduce the "+
				"length of the messages or functions.", window, prompt, prompt-fixed, fixed)
	}
	return openaiapi.BadRequest("messages", "context_length_exceeded",
		"This model's maximum context length is %d tokens. However, your messages resulted in %d "+
			"tokens. Please reduce the length of the messages.", window, prompt)
}
