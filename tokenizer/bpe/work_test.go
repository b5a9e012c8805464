package bpe

import (
	"strings"
	"testing"

	"killick/tokenizer/internal/corpus"
)

// steps is the work that a scratch was used for: parts inspected and tokens tried, whatever the
// time these took.
func (sc *scratch) steps() int {
	return sc.merging.steps + sc.back.steps + sc.back.stretch.steps + sc.back.stretch.merging.steps
}

// workOf counts text with a scratch of its own and returns the steps that took.
func workOf(e *engine, text string) int {
	sc := newScratches().take()
	t := tally{engine: e, sc: sc}
	t.count([]byte(text))
	return sc.steps()
}

// TestWorkIsLinear counts steps, not time: sixteen times as much text takes no more
// than sixteen times the work, of every kind that stops other counters.
func TestWorkIsLinear(t *testing.T) {
	corpus.Sequential(t)
	const small, large, maxSteps = 1 << 16, 1 << 20, 32
	for _, name := range allEncodings {
		e := mustLoad(name).engine
		for _, kind := range hostileKinds {
			text := strings.ToValidUTF8(hostile(kind), "")
			few := workOf(e, strings.ToValidUTF8(text[:small], ""))
			many := workOf(e, text)
			if many > few*(large/small)*5/4+small {
				t.Errorf("%s, %s: %d steps for %d bytes, but %d for %d",
					name, kind, few, small, many, len(text))
			}
			if many > maxSteps*len(text) {
				t.Errorf("%s, %s: %d steps a byte, want at most %d",
					name, kind, many/len(text), maxSteps)
			}
		}
	}
}
