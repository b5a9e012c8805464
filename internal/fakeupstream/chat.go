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

// Reply is what the model answers to one request. Each of the n choices that a
// request may ask for is the same.
type Reply struct {
	Content      string
	Reasoning    string // reasoning_content, which some providers send and want back
	Refusal      string
	ToolCalls    []ToolCall
	FinishReason string // if empty, "tool_calls" with calls and "stop" without

	// before anything is sent; it ends early when the client leaves or the server closes
	Delay  time.Duration
	Status int // if not zero, OpenAI's error for it is answered instead
}

// ToolCall is a call that the model makes.
type ToolCall struct {
	ID        string // if empty, made of the number of the request and the call
	Name      string
	Arguments string // JSON text; of a custom tool, its free-form input
	Custom    bool   // a custom tool, not a function
}

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

// tokens is what the reply counts as, at four bytes a token.
func (r Reply) tokens() int {
	texts := []string{r.Content, r.Reasoning, r.Refusal}
	for _, call := range r.ToolCalls {
		texts = append(texts, call.Name, call.Arguments)
	}
	n := 0
	for _, text := range texts {
		n += openaiapi.TokensIn(len(text))
	}
	return n
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

// completion is the answer to one accepted request.
type completion struct {
	x       *exchange
	req     *view.Request
	reply   Reply
	choices int
	usage   chat.Usage
	created int64
}

// The members of answers, in OpenAI's order.
type (
	completionJSON struct {
		ID          string       `json:"id"`
		Object      string       `json:"object"`
		Created     int64        `json:"created"`
		Model       string       `json:"model"`
		Choices     []choiceJSON `json:"choices"`
		Usage       usageJSON    `json:"usage"`
		ServiceTier string       `json:"service_tier"`
		Fingerprint *string      `json:"system_fingerprint"`
	}
	choiceJSON struct {
		Index        int         `json:"index"`
		Message      messageJSON `json:"message"`
		Logprobs     *struct{}   `json:"logprobs"`
		FinishReason string      `json:"finish_reason"`
	}
	messageJSON struct {
		Role        string     `json:"role"`
		Content     *string    `json:"content"`
		Reasoning   string     `json:"reasoning_content,omitempty"`
		ToolCalls   []callJSON `json:"tool_calls,omitempty"`
		Refusal     *string    `json:"refusal"`
		Annotations []struct{} `json:"annotations"`
	}
	callJSON struct {
		Index    *int          `json:"index,omitempty"` // in deltas
		ID       string        `json:"id,omitempty"`
		Type     string        `json:"type,omitempty"`
		Function *functionJSON `json:"function,omitempty"`
		Custom   *customJSON   `json:"custom,omitempty"`
	}
	functionJSON struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
	customJSON struct {
		Name  string `json:"name,omitempty"`
		Input string `json:"input"`
	}
	usageJSON struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		TotalTokens      int `json:"total_tokens"`
		PromptDetails    struct {
			Cached int `json:"cached_tokens"`
			Audio  int `json:"audio_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			Reasoning int `json:"reasoning_tokens"`
			Audio     int `json:"audio_tokens"`
			Accepted  int `json:"accepted_prediction_tokens"`
			Rejected  int `json:"rejected_prediction_tokens"`
		} `json:"completion_tokens_details"`
	}
)

// whole answers in one body.
func (c *completion) whole() {
	message := messageJSON{Role: string(view.Assistant), Reasoning: c.reply.Reasoning,
		Refusal: openaiapi.OrNull(c.reply.Refusal), Annotations: []struct{}{}}
	if c.reply.Content != "" || len(c.reply.ToolCalls) == 0 && c.reply.Refusal == "" {
		message.Content = &c.reply.Content
	}
	for _, call := range c.reply.ToolCalls {
		message.ToolCalls = append(message.ToolCalls, call.json(call.Arguments))
	}
	answer := completionJSON{ID: c.id(), Object: "chat.completion", Created: c.created,
		Model: c.req.Model(),
		Usage: c.usageJSON(), ServiceTier: "default"}
	for i := range c.choices {
		answer.Choices = append(answer.Choices,
			choiceJSON{Index: i, Message: message, FinishReason: c.reply.FinishReason})
	}
	c.x.answerJSON(answer)
}

func (c *completion) id() string { return fmt.Sprintf("chatcmpl-%d", c.x.N) }

func (c *completion) usageJSON() usageJSON {
	u := usageJSON{PromptTokens: c.usage.PromptTokens, CompletionTokens: c.usage.CompletionTokens,
		TotalTokens: c.usage.PromptTokens + c.usage.CompletionTokens}
	u.PromptDetails.Cached = c.usage.CachedTokens
	return u
}

// json returns the call with so much of its arguments.
func (t ToolCall) json(arguments string) callJSON {
	if t.Custom {
		return callJSON{ID: t.ID, Type: "custom", Custom: &customJSON{t.Name, arguments}}
	}
	return callJSON{ID: t.ID, Type: "function", Function: &functionJSON{t.Name, arguments}}
}
