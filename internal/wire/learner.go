package wire

import (
	"killick/chat"
	"killick/internal/series"
	"killick/proxy"
	"killick/tokenizer"
	"killick/view"
)

const (
	// maxEstimatedShare is the maximum share of estimated tokens in a request whose reported usage
	// is learned from.
	maxEstimatedShare = 0.1
	// unknown is more tokens than any request has.
	unknown = 1 << 40
)

// learner returns a function that learns from the upstream's token count of the forwarded request;
// nil if nothing can be learned from it. body is that request, and sent its size by our count.
func (e Engine) learner(req proxy.Request, body []byte, sent int) func(chat.Usage) {
	model := e.counter.ForClient(req.Who, req.Chat.Model())
	if sent == 0 || req.Chat.Format().Rules(req.Chat).Held || // the count would be too low
		float64(estimated(req.Chat, model)) > maxEstimatedShare*float64(sent) {
		return nil
	}
	estimate := int(float64(sent) * model.Factor(body))
	who := req.Who
	return func(u chat.Usage) {
		if model.Observe(estimate, u.PromptTokens) {
			e.ratios.observed(who, model)
		}
	}
}

// estimates holds how many tokens of a conversation are estimated.
type estimates struct {
	model tokenizer.Model
	upTo  series.Of[int] // by message: of all messages up to it, unknown or more if not known
}

// estimatesKey is the key of estimates in a view.Memory.
type estimatesKey struct{}

// estimated returns how many tokens after the leading instructions are estimated: those of media
// and of encrypted content. It is unknown or more if a program of the provider's reads results, as
// the provider does not count these. It remembers the messages that were seen before.
func estimated(req *view.Request, model tokenizer.Model) int {
	msgs := req.Messages()
	for len(msgs) > 0 && msgs[0].Role().Instructs() {
		msgs = msgs[1:]
	}
	kept, n := req.Memory().Load(estimatesKey{})
	known, _ := kept.(*estimates)
	if known == nil || known.model != model {
		known, n = &estimates{}, 0
	}
	if len(msgs) == 0 {
		return 0
	}
	if n == len(msgs) {
		return known.upTo.Items()[n-1]
	}
	upTo, sum := known.upTo.Grow(n), 0
	if n > 0 {
		sum = upTo[n-1]
	}
	for i := n; i < len(msgs); i++ {
		if sum += model.Estimated(&msgs[i]); msgs[i].Is(view.Programmed) {
			sum += unknown
		}
		upTo = append(upTo, sum)
	}
	next := &estimates{model, series.New(upTo)}
	const intBytes = 8
	req.Memory().Store(estimatesKey{}, next, len(msgs), intBytes*int64(next.upTo.Cap()))
	return sum
}
