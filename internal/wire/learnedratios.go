package wire

import (
	"math"
	"time"

	"github.com/maypok86/otter/v2"

	"killick/chat"
	"killick/packed"
	"killick/proxy"
	"killick/series"
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

// learnedRatios shares with other replicas the ratios of models' token counts to ours, as learned
// from upstreams' usage reports.
type learnedRatios struct {
	counter  *tokenizer.Counter
	announce announce
	now      func() time.Time
	known    *otter.Cache[ratioKey, knownRatio]
}

type ratioKey struct {
	who   string
	model uint64
}

// knownRatio is the ratio that any replica announced last.
type knownRatio struct {
	ratio float64
	at    time.Time
}

const (
	// noticeable is the minimum relative change for which a ratio is announced again: triggers are
	// lowered in steps of a tenth.
	noticeable = 0.1
	// repeatAfter is after how long an unchanged ratio is announced again: a replica that starts
	// reads the facts of twice as long.
	repeatAfter = 12 * time.Hour
)

func newLearnedRatios(counter *tokenizer.Counter, announce announce) *learnedRatios {
	return &learnedRatios{counter: counter, announce: announce, now: time.Now,
		known: otter.Must(&otter.Options[ratioKey, knownRatio]{MaximumSize: maxLearned})}
}

// observed announces the ratio of a model after a usage report, unless the others know it already.
func (l *learnedRatios) observed(who string, m tokenizer.Model) {
	if l.announce == nil {
		return
	}
	ratio, ok := m.Learned()
	if !ok {
		return
	}
	key, now := ratioKey{who, m.Hash()}, l.now()
	known, _ := l.known.GetIfPresent(key)
	if math.Abs(ratio-known.ratio) < noticeable*known.ratio && now.Sub(known.at) < repeatAfter {
		return
	}
	known = knownRatio{ratio, now}
	l.known.Set(key, known)
	l.announce(who, ratioTopic, encodeRatio(key.model, known))
}

// receive adopts what another replica announced.
func (l *learnedRatios) receive(who string, value []byte) {
	if model, received, ok := readRatio(value); ok {
		l.known.Set(ratioKey{who, model}, received)
		l.counter.Adopt(who, model, received.ratio)
	}
}

// forget drops what was announced for one client; if who is empty, for all.
func (l *learnedRatios) forget(who string) {
	for key := range l.known.Keys() {
		if who == "" || key.who == who {
			l.known.Invalidate(key)
		}
	}
}

// ratioVersion is the version of the encoding, like windowVersion.
const ratioVersion = 1

func encodeRatio(model uint64, k knownRatio) (p packed.Writer) {
	p.Byte(ratioVersion)
	p.Int64(int64(model))
	p.Float(k.ratio)
	p.Int64(k.at.UnixMilli())
	return p
}

func readRatio(value []byte) (model uint64, k knownRatio, ok bool) {
	r := packed.NewReader(value)
	version := r.Byte()
	model, k = uint64(r.Int64()), knownRatio{r.Float(), time.UnixMilli(r.Int64())}
	return model, k, r.End() == nil && version == ratioVersion && k.ratio > 0
}

// learner returns a function that learns from the upstream's token count of the forwarded request;
// nil if nothing can be learned from it. body is that request, and sent its size by our count.
func (l *learnedRatios) learner(req proxy.Request, body []byte, sent int) func(chat.Usage) {
	model := l.counter.ForClient(req.Who, req.Chat.Model())
	if sent == 0 || req.Chat.Format().Rules(req.Chat).Held || // the count would be too low
		float64(estimated(req.Chat, model)) > maxEstimatedShare*float64(sent) {
		return nil
	}
	estimate := int(float64(sent) * model.Factor(body))
	who := req.Who
	return func(u chat.Usage) {
		if model.Observe(estimate, u.PromptTokens) {
			l.observed(who, model)
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
