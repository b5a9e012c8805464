package keepalive

import (
	"net/http"
	"strconv"
	"strings"

	"killick/proxy/format"
	"killick/rawjson"
	"killick/view"
)

// A request is sent again for the shortest answer that its API accepts, and not streamed. Nothing
// else may change: what precedes the messages, and the settings of thinking, determine the cache
// look-up (Anthropic, "Prompt caching", "What invalidates the
// cache").
const (
	minOutput          = 1
	minResponsesOutput = 16 // OpenAI, "Create a model response", max_output_tokens
)

// members are the members of a request to replace, nil for those to remove, and the resulting limit
// of the answer's tokens.
type members struct {
	set    map[string]rawjson.Value
	output int
}

// shortened returns the changes that make a request one for the shortest answer. It is not ok for
// requests for which that is not known to be cheap, harmless and accepted.
func shortened(f format.Format, r *view.Request) (m members, ok bool) {
	if rules := r.Format().Rules(r); rules.Passthrough != "" || rules.Held || !listPrice(r) {
		return m, false
	}
	m = members{set: map[string]rawjson.Value{"stream": nil, "stream_options": nil},
		output: minOutput}
	switch f {
	case format.Chat:
		return m, m.shortenChat(r)
	case format.Messages:
		// With a thinking budget, the bound of the answer must exceed that.
		m.limit("max_tokens")
		return m, !r.Field("thinking").Get("type").Is("enabled") && !resumes(r)
	case format.Responses:
		return m, m.shortenResponses(r)
	}
	return m, false
}

// resumes reports whether the end of the request may resume a call that the provider runs: its code
// would run twice.
func resumes(r *view.Request) bool {
	messages := r.Messages()
	for i := len(messages) - 1; i >= 0 && messages[i].Role() != view.User; i-- {
		if messages[i].Is(view.Defers) {
			return true
		}
	}
	return false
}

// limit bounds the answer by a member.
func (m *members) limit(name string) { m.set[name] = rawjson.Value(strconv.Itoa(m.output)) }

func (m *members) shortenChat(r *view.Request) (ok bool) {
	for _, name := range []string{"audio", "prediction", "web_search_options"} {
		if given(r.Field(name)) { // other costs, or a bound may be impossible
			return false
		}
	}
	if n := r.Field("n"); given(n) && string(n) != "1" {
		return false
	}
	bounded := false
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if given(r.Field(name)) {
			m.limit(name)
			bounded = true
		}
	}
	switch {
	case bounded:
	case reasons(r.Model()): // OpenAI refuses max_tokens there, others do not know this
		m.limit("max_completion_tokens")
	default:
		m.limit("max_tokens")
	}
	if given(r.Field("store")) {
		m.set["store"] = rawjson.Value("false")
	}
	return true
}

func (m *members) shortenResponses(r *view.Request) (ok bool) {
	if given(r.Field("prompt")) || string(r.Field("background")) == "true" {
		return false
	}
	if !ranByClient(r.Field("tools")) {
		return false
	}
	messages := r.Messages()
	for i := range messages { // Codex sends its tools as an item of the input
		if item := rawjson.Value(messages[i].Raw); messages[i].Is(view.Fixed) &&
			item.Get("type").Is("additional_tools") && !ranByClient(item.Get("tools")) {
			return false
		}
	}
	m.output = minResponsesOutput
	m.limit("max_output_tokens")
	m.set["store"] = rawjson.Value("false") // else the provider stores the answer
	return true
}

// ranByClient reports whether all tools of a list are run by the client. Sixteen tokens may be a
// call, and other tools are run by the provider.
func ranByClient(tools rawjson.Value) bool {
	for tool := range tools.Elements() {
		switch tool.Get("type").Text() {
		case "function", "custom", "local_shell":
		case "namespace":
			if !ranByClient(tool.Get("tools")) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// reasons reports whether a model is one of OpenAI's that take max_completion_tokens alone (OpenAI,
// "Create chat completion", max_tokens).
func reasons(model string) bool {
	model = model[strings.LastIndexByte(model, '/')+1:]
	if rest, ok := strings.CutPrefix(model, "gpt-"); ok {
		return rest != "" && rest[0] >= '5' && rest[0] <= '9'
	}
	return len(model) > 1 && model[0] == 'o' && model[1] >= '1' && model[1] <= '9'
}

// listPrice reports whether a request does not ask for a service tier with other prices.
func listPrice(r *view.Request) bool {
	speed, tier := r.Field("speed"), r.Field("service_tier")
	if given(speed) && !speed.Is("standard") {
		return false
	}
	return !given(tier) || tier.Is("auto") || tier.Is("default") || tier.Is("standard") ||
		tier.Is("standard_only")
}

func given(v rawjson.Value) bool { return v.Kind() > rawjson.Null }

// notSentAgain are headers that depend on the bytes or on a single transmission.
var notSentAgain = []string{
	"Content-Encoding", "Content-Length", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest",
	"Transfer-Encoding", "Trailer", "Te", "Expect", "Idempotency-Key", "X-Client-Request-Id",
	"X-Request-Id",
}

// headerOf returns the headers for sending a request again.
func headerOf(sent http.Header) http.Header {
	h := sent.Clone()
	for _, name := range notSentAgain {
		h.Del(name)
	}
	h.Set("Accept", "application/json")
	h.Set("Accept-Encoding", "identity")
	return h
}
