package wire

import (
	"math"
	"time"

	"github.com/maypok86/otter/v2"

	"killick/compactor/settings"
	"killick/packed"
)

const (
	// maxLearned is the maximum number of remembered windows, one per credential and model.
	maxLearned = 16_384
	// learnedFor is how long a window is remembered: an upstream may be restarted with a larger
	// one.
	learnedFor = 24 * time.Hour
)

// learnedWindows remembers, in memory, the windows of models that were learned from refused
// requests: for each client and each upstream, since they may differ. Replicas share them.
type learnedWindows struct {
	hash     func(model string) uint64 // the same in all replicas
	announce announce
	now      func() time.Time
	windows  *otter.Cache[learnedKey, learnedWindow]
}

// learnedKey is the hash of a credential, the name of one of several upstreams, and the hash of a
// model's name. Clients choose the names of models, of any length.
type learnedKey struct {
	who, upstream string
	model         uint64
}

// learnedWindow is a learned window and when it was learned.
type learnedWindow struct {
	settings.Learned
	at time.Time
}

func newLearnedWindows(hash func(model string) uint64, announce announce) *learnedWindows {
	return &learnedWindows{
		hash: hash, announce: announce, now: time.Now,
		windows: otter.Must(&otter.Options[learnedKey, learnedWindow]{MaximumSize: maxLearned}),
	}
}

// at returns what was learned at one of several upstreams; "" if there is only one.
func (w *learnedWindows) at(upstream string) windowsAt { return windowsAt{w, upstream} }

// forget drops what was learned for one client at all upstreams; if who is empty, for all clients.
func (w *learnedWindows) forget(who string) {
	for key := range w.windows.Keys() {
		if who == "" || key.who == who {
			w.windows.Invalidate(key)
		}
	}
}

// windowsAt implements [settings.Windows].
type windowsAt struct {
	*learnedWindows
	upstream string
}

func (w windowsAt) key(who, model string) learnedKey {
	return learnedKey{who, w.upstream, w.hash(model)}
}

func (w windowsAt) Learned(who, model string) settings.Learned {
	if w.windows.EstimatedSize() == 0 { // the usual case, which needs no hash
		return settings.Learned{}
	}
	l, ok := w.windows.GetIfPresent(w.key(who, model))
	if !ok || w.now().Sub(l.at) > learnedFor {
		return settings.Learned{}
	}
	return l.Learned
}

func (w windowsAt) Learn(who, model string, l settings.Learned) {
	key, learned := w.key(who, model), learnedWindow{l, w.now()}
	w.windows.Set(key, learned)
	w.announce.fact(who, windowTopic, encodeWindow(&key, &learned))
}

// receive adopts what another replica learned, with its time, unless a newer window is known.
func (w *learnedWindows) receive(who string, value []byte) {
	key, received, ok := readWindow(who, value)
	now := w.now()
	if received.at.After(now) { // its clock is ahead
		received.at = now
	}
	if !ok || now.Sub(received.at) > learnedFor {
		return
	}
	if known, ok := w.windows.GetIfPresent(key); !ok || known.at.Before(received.at) {
		w.windows.Set(key, received)
	}
}

// windowVersion is the version of the encoding. Replicas ignore other versions.
const windowVersion = 1

func encodeWindow(key *learnedKey, l *learnedWindow) (p packed.Writer) {
	p.Byte(windowVersion)
	p.Text(key.upstream)
	p.Int64(int64(key.model))
	p.Int(l.Window)
	p.Bool(l.Stated)
	p.Bool(l.Input)
	p.Bool(l.Output)
	p.Float(l.Ratio)
	p.Int(l.TruncateOver)
	p.Int64(l.at.UnixMilli())
	return p
}

func readWindow(who string, value []byte) (key learnedKey, l learnedWindow, ok bool) {
	r := packed.NewReader(value)
	version := r.Byte()
	key = learnedKey{who, r.Text(), uint64(r.Int64())}
	l.Window, l.Stated, l.Input, l.Output = r.Int(), r.Bool(), r.Bool(), r.Bool()
	l.Ratio, l.TruncateOver, l.at = r.Float(), r.Int(), time.UnixMilli(r.Int64())
	ok = r.End() == nil && version == windowVersion && l.Window >= 0 && l.TruncateOver >= 0 &&
		l.Ratio >= 0 && !math.IsInf(l.Ratio, 1)
	return key, l, ok
}
