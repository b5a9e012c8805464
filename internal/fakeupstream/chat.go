package fakeupstream

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"killick/chat"
	"killick/internal/fakeserver/openaiapi"
	"killick/rawjson"
	"killick/view"
)

func (s *Server) reply(req *view.Request, n int) Reply {
	reply, scripted := s.scripted(req)
	switch {
	case scripted:
	case s.cfg.Reply != nil:
		reply = s.cfg.Reply(req)
	default:
		reply.Content = fmt.Sprintf("This is the scripted answer to a request of %d messages.",
			len(req.Messages()))
	}
	calls := make([]ToolCall, len(reply.ToolCalls))
	for i, call := range reply.ToolCalls {
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d_%d", n, i)
		}
		calls[i] = call
	}
	reply.ToolCalls = calls
	if reply.FinishReason == "" {
		reply.FinishReason = "stop"
		if len(calls) > 0 {
			reply.FinishReason = "tool_calls"
		}
	}
	return reply
}

// scripted answers requests for summaries, questions and answers, if a model is
// scripted for them.
func (s *Server) scripted(req *view.Request) (Reply, bool) {
	model := s.cfg.Scripted
	if model == nil {
		if model = scriptedByName(req.Model()); model == nil {
			return Reply{}, false
		}
	}
	return model.Reply(req)
}

// chatCompletion answers a chat request.
func (x *exchange) chatCompletion() {
	if x.Request.Method != http.MethodPost {
		x.fail(openaiapi.NotAllowed())
		return
	}
	body, err := x.DecodedBody()
	if err != nil {
		x.fail(openaiapi.BadRequest("", "", openaiapi.NotJSON))
		return
	}
	req, refused := parse(body)
	if refused == nil {
		refused = x.check(req)
	}
	if refused != nil {
		x.fail(refused)
		return
	}
	perMessage, fixed := x.s.count(req)
	prompt := fixed
	for _, tokens := range perMessage {
		prompt += tokens
	}
	if x.refuses(req, prompt, fixed) {
		return
	}
	choices := 1
	if n, ok := req.Field("n").Int(); ok {
		choices = n
	}
	reply := x.s.reply(req, x.N)
	if reply.Delay > 0 {
		x.Wait(reply.Delay)
	}
	if reply.Status != 0 {
		x.fail(openaiapi.ErrorOf(reply.Status))
		return
	}
	usage := chat.Usage{
		PromptTokens:     prompt,
		CompletionTokens: choices * reply.tokens(),
		CachedTokens:     x.s.cache.use(openaiapi.Credential(x.Request), req, perMessage, fixed),
	}
	x.Note(usage)
	c := completion{x: x, req: req, reply: reply, choices: choices, usage: usage,
		created: time.Now().Unix()}
	if req.Stream() {
		c.stream()
		return
	}
	c.whole()
}

// maxChoices is the most that OpenAI takes for n.
const maxChoices = 128

// check refuses what OpenAI refuses.
func (x *exchange) check(req *view.Request) *openaiapi.Error {
	if req.Model() == "" && !strings.Contains(x.Request.URL.Path, "/deployments/") {
		return openaiapi.BadRequest("", "", "you must provide a model parameter")
	}
	if e := validate(req); e != nil {
		return e
	}
	if e := x.s.unsupported(req); e != nil {
		return e
	}
	if x.s.cfg.StrictTurns && !alternates(req.Messages()) {
		return openaiapi.BadRequest("messages", "", mustAlternate)
	}
	n := req.Field("n")
	choices, ok := n.Int()
	switch {
	case n.Kind() == rawjson.Absent || n.Kind() == rawjson.Null:
		return nil
	case !ok:
		return mistyped("n", "an integer", n)
	case choices < 1 || choices > maxChoices:
		return openaiapi.BadRequest("n", "invalid_value",
			"Invalid 'n': integer out of range. Expected a value between 1 and %d, but got %d "+
				"instead.", maxChoices, choices)
	}
	return nil
}

// unsupported refuses what the script says that the model does not know.
func (s *Server) unsupported(req *view.Request) *openaiapi.Error {
	format := req.Field("response_format").Get("type").Text()
	for _, name := range s.cfg.Unsupported {
		if name == format {
			return openaiapi.BadRequest("response_format", "",
				"Invalid parameter: 'response_format' of type '%s' is not supported with "+
					"this model.", name)
		}
		if req.Field(name).Kind() != rawjson.Absent {
			return openaiapi.BadRequest(name, "unsupported_parameter",
				"Unsupported parameter: '%s' is not supported with this model.", name)
		}
	}
	return nil
}

func (s *Server) count(req *view.Request) (perMessage []int, fixed int) {
	if s.cfg.Count != nil {
		return s.cfg.Count(req)
	}
	messages := req.Messages()
	perMessage = make([]int, len(messages))
	for i := range messages {
		perMessage[i] = openaiapi.TokensIn(len(messages[i].Raw))
	}
	for _, name := range shapesPrompt[1:4] {
		fixed += openaiapi.TokensIn(len(req.Field(name)))
	}
	return perMessage, fixed
}
