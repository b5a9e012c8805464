package settings

import (
	"killick/compaction"
	"killick/compactor/plan"
)

// Learned is what upstreams' refusals have taught of one model's window, for one
// credential. It only ever lowers what the operator configured and what is published.
// The zero Learned is nothing.
type Learned struct {
	Window int  // tokens that the model takes, in the upstream's count; 0: nothing was learned
	Stated bool // the upstream stated Window; else it is a guess from what was refused
	Input  bool // Window is of the prompt alone
	Output bool // what a request asks for as completion counts against Window
	// Ratio is how many tokens the upstream counted for one of ours, 1 at least if any is
	// known.
	Ratio float64
	// TruncateOver is the size past which an output is truncated on arrival, in our count;
	// 0: see Policy.TruncateOver.
	TruncateOver int
}

// Windows remembers what was learned. What it forgets is learned anew, at the price of a
// refused request. Its methods may be called from many goroutines.
type Windows interface {
	// Learned returns what was learned of a model under a credential.
	Learned(who, model string) Learned
	Learn(who, model string, l Learned)
}

// NoWindows is a Windows that learns nothing.
type NoWindows struct{}

// Learned returns nothing.
func (NoWindows) Learned(string, string) Learned { return Learned{} }

// Learn does nothing.
func (NoWindows) Learn(string, string, Learned) {}

const (
	// leastWindow is the smallest window that is believed.
	leastWindow = 256
	// mostRatio bounds the ratio that one refusal may teach: what is beyond is not the
	// tokenizer's doing but that of something in this one request, such as an image.
	mostRatio = 2
	// guessedShare of a request's size is the window of a model that refused it without
	// a number.
	guessedShare = 0.9
)

// After returns what is known after a refusal of a request under the ratio at which the
// model was thought to count. It is not ok where a shorter prompt would not help: the
// completion that is asked for leaves no room for any, or what the upstream stated
// cannot be true.
func (l Learned) After(o compaction.Overflow, ratio float64) (next Learned, ok bool) {
	ratio = max(ratio, l.Ratio, 1)
	next = Learned{
		Window: o.Window, Stated: true, Output: l.Output || o.Output > 0, Ratio: l.Ratio,
	}
	switch {
	case o.Window > 0:
	case o.Input > 0:
		next.Window, next.Input = o.Input, true
	case o.Over > 0 && o.Sent > 0:
		next.Window, next.Input = int(float64(o.Sent)*ratio)-o.Over, true
	default:
		next.Window, next.Stated = int(float64(o.Sent)*ratio*guessedShare), false
		if l.Window > 0 && l.Window < next.Window {
			next.Window = l.Window
		}
	}
	room := next.Window - o.Output
	if next.Window < leastWindow || room < next.Window/8 || room < leastWindow {
		return l, false
	}
	if next.Stated && o.Sent > 0 {
		// A refused prompt was longer than the room for it, whatever we counted.
		counted := float64(max(o.Prompt, room+1)) / float64(o.Sent)
		next.Ratio = max(l.Ratio, min(counted, mostRatio))
	}
	// Half of the room at the first refusal, a quarter and an eighth at the next ones.
	next.TruncateOver = int(float64(room)/max(ratio, next.Ratio)) >> min(max(o.Try, 1), 3)
	if l.TruncateOver > 0 && l.Window == next.Window {
		next.TruncateOver = min(l.TruncateOver, next.TruncateOver)
	}
	return next, true
}

// bound returns the window that is left of w for a request that asks for so much
// completion.
func (l Learned) bound(w Window, output int) Window {
	if l.Window == 0 {
		return w
	}
	if l.Input {
		// It is close to what is refused, so a little is left.
		if l.Window < w.Tokens-w.Reserve {
			return Window{Tokens: l.Window, Reserve: l.Window / 50}
		}
		return w
	}
	w.Tokens = min(w.Tokens, l.Window)
	w.Reserve = min(w.Reserve, w.Tokens/8)
	if l.Output {
		w.Reserve = max(w.Reserve, min(output, w.Tokens*7/8))
	}
	return w
}

// Fit is the budget for a request to a model of which l was learned.
func (p Policy) Fit(
	w Window, ratio float64, l Learned, output int, prices plan.Prices,
) Budget {
	b := p.Budget(l.bound(w, output), max(ratio, l.Ratio), prices)
	if l.TruncateOver > 0 && (b.TruncateOver <= 0 || l.TruncateOver < b.TruncateOver) {
		b.TruncateOver, b.TruncateAfter = l.TruncateOver, 0
	}
	return b
}

// Halved is the budget for another attempt at a request of which a form of sent tokens
// was refused: half of that, however large the window was stated to be.
func (b Budget) Halved(sent int) Budget {
	b.Derived = false
	b.Trigger = min(b.Trigger, sent*3/4)
	b.Target = min(b.Target, sent/2)
	b.Window = min(b.Window, sent*3/4)
	b.MinGain = min(b.MinGain, sent/20)
	return b
}
