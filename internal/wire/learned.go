package wire

import (
	"hash/maphash"
	"time"

	"github.com/maypok86/otter/v2"

	"killick/compactor/settings"
)

const (
	// mostLearned bounds the models of which windows are remembered, each counted
	// once for every credential.
	mostLearned = 16_384
	// learnedFor is how long a window is remembered: upstreams are restarted with
	// larger ones.
	learnedFor = 24 * time.Hour
)

// learnedWindows remembers in memory what refusals taught of models' windows. One
// client's upstream accepts what another's may not, so each has its own, at each upstream.
type learnedWindows struct {
	seed    maphash.Seed
	windows *otter.Cache[learnedKey, learnedWindow]
}

// learnedKey is a credential's hash, the name of one of several upstreams, and a hash of a
// model's name, which a client may choose of any length.
type learnedKey struct {
	who, upstream string
	model         uint64
}

// learnedWindow is what was learnt, and when.
type learnedWindow struct {
	settings.Learned
	at time.Time
}

func newLearnedWindows() *learnedWindows {
	return &learnedWindows{
		seed:    maphash.MakeSeed(),
		windows: otter.Must(&otter.Options[learnedKey, learnedWindow]{MaximumSize: mostLearned}),
	}
}

// at is what was learnt at one of several upstreams, "" where there is only one.
func (w *learnedWindows) at(upstream string) windowsAt { return windowsAt{w, upstream} }

// forget drops what was learnt for one client at all upstreams, for an empty who all of it.
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
	return learnedKey{who, w.upstream, maphash.String(w.seed, model)}
}

// Learned implements [settings.Windows].
func (w windowsAt) Learned(who, model string) settings.Learned {
	l, ok := w.windows.GetIfPresent(w.key(who, model))
	if !ok || time.Since(l.at) > learnedFor {
		return settings.Learned{}
	}
	return l.Learned
}

// Learn implements [settings.Windows].
func (w windowsAt) Learn(who, model string, l settings.Learned) {
	w.windows.Set(w.key(who, model), learnedWindow{l, time.Now()})
}
