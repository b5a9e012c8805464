package settings

import (
	"killick/compaction"
	"killick/compactor/plan"
)

// Learned is what was learned of one model's window from the refusals of an upstream, for one
// credential. It can only lower a window that is configured or published. The zero Learned has no
// effect.
type Learned struct {
	Window int  // tokens that the model accepts, in the upstream's count; 0: nothing was learned
	Stated bool // the upstream stated Window; else it is a guess from the refused size
	Input  bool // Window is only for the prompt
	Output bool // the completion that a request asks for counts against Window
	// Ratio is the number of tokens that the upstream counted for one of ours: at least 1, or 0 if
	// it is not known.
	Ratio float64
	// TruncateOver is the size past which an output is truncated on arrival, in our count;
	// 0: see Policy.TruncateOver.
	TruncateOver int
}

// Windows remembers what was learned. What it forgets is learned again from the next refused
// request. Its methods may be called by several goroutines.
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
	// maxRatio limits the ratio that one refusal may teach. A larger one is not due to the
	// tokenizer but to something in this one request, such as an image.
	maxRatio = 2
	// guessedShare is the assumed window of a model that refused a request without a number, as a
	// share of the request's size.
	guessedShare = 0.9
)

// After returns what is known after the refusal of a request. ratio is the assumed ratio of the
// model until then. ok is false if a shorter prompt would not help: the completion that the request
// asks for leaves no room for a prompt, or the numbers of the upstream cannot be true.
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
	if next.Window < minWindow || room < next.Window/8 || room < minWindow {
		return l, false
	}
	if next.Stated && o.Sent > 0 {
		// A refused prompt was longer than the room for it, whatever we counted.
		counted := float64(max(o.Prompt, room+1)) / float64(o.Sent)
		next.Ratio = max(l.Ratio, min(counted, maxRatio))
	}
	// Half of the room at the first refusal, a quarter and an eighth at the next ones.
	next.TruncateOver = int(float64(room)/max(ratio, next.Ratio)) >> min(max(o.Try, 1), 3)
	if l.TruncateOver > 0 && l.Window == next.Window {
		next.TruncateOver = min(l.TruncateOver, next.TruncateOver)
	}
	return next, true
}

// bound returns the part of a window that is left for a request that asks for a completion of
// output tokens.
func (l Learned) bound(w Window, output int) Window {
	if l.Window == 0 {
		return w
	}
	if l.Input {
		// It is close to sizes that are refused, so there is a small reserve.
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

// Fit returns the budget for a request to a model about which l was learned.
func (p Policy) Fit(
	w Window, ratio float64, l Learned, output int, prices plan.Prices,
) Budget {
	b := p.Budget(l.bound(w, output), max(ratio, l.Ratio), prices)
	if l.TruncateOver > 0 && (b.TruncateOver <= 0 || l.TruncateOver < b.TruncateOver) {
		b.TruncateOver, b.TruncateAfter = l.TruncateOver, 0
	}
	return b
}

// Halved returns the budget for another attempt at a request whose form of sent tokens was refused:
// half of that size, however large the upstream says the window is.
func (b Budget) Halved(sent int) Budget {
	b.Derived = false
	b.Trigger = min(b.Trigger, sent*3/4)
	b.Target = min(b.Target, sent/2)
	b.Window = min(b.Window, sent*3/4)
	b.MinGain = min(b.MinGain, sent/20)
	return b
}
