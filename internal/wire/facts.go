package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"time"

	"github.com/maypok86/otter/v2"

	"killick/cache"
	"killick/cache/shared"
	"killick/internal/packed"
	"killick/tokenizer"
)

// Replicas announce what they learned about upstreams: learning costs a refused request or an early
// compaction, which the others then avoid. They name clients and models by hashes keyed with the
// secret.

// The topics of facts.
const (
	windowTopic = "window"
	ratioTopic  = "ratio"
)

// announce sends other replicas a fact. It is nil without a shared store.
type announce func(who, topic string, value []byte)

func (a announce) fact(who, topic string, value []byte) {
	if a != nil {
		a(who, topic, value)
	}
}

func announceTo(s *shared.Store) announce {
	if s == nil {
		return nil
	}
	return s.Announce
}

// hashUnder returns a hash function for models' names, keyed with the secret.
func hashUnder(secret cache.Secret) func(model string) uint64 {
	key := secret.Key("names of models")
	return func(model string) uint64 {
		mac := hmac.New(sha256.New, key[:])
		mac.Write([]byte(model))
		return binary.LittleEndian.Uint64(mac.Sum(nil))
	}
}

// applyFact adopts a fact that another replica announced.
func (e Engine) applyFact(f *shared.Event) {
	switch f.Topic {
	case windowTopic:
		e.windows.receive(f.Who, f.Value)
	case ratioTopic:
		e.ratios.receive(f.Who, f.Value)
	}
}

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
	if l == nil || l.announce == nil {
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
	l.announce(who, ratioTopic, appendRatio(nil, key.model, known))
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

func appendRatio(p packed.Writer, model uint64, k knownRatio) packed.Writer {
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
