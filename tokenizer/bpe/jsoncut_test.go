package bpe

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
)

// TestEndsPiece: texts count on both sides of such places what they count together.
func TestEndsPiece(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for _, name := range allEncodings {
		e := mustLoad(name)
		cuts := 0
		for range 20_000 / corpus.Slower {
			body := []byte(randomBody(r))
			at := r.IntN(len(body) + 1)
			if !endsPiece(body, at) {
				continue
			}
			cuts++
			got, want := e.CountJSON(body[:at])+e.CountJSON(body[at:]), e.CountJSON(body)
			if got != want {
				t.Fatalf("%s: %q and %q: %d tokens, want %d", name, body[:at], body[at:], got, want)
			}
		}
		if cuts < 500/corpus.Slower {
			t.Errorf("%s: %d cuts, want more", name, cuts)
		}
	}
}

// TestCutJSON: a text that is cut everywhere counts what it counts as a whole, or a little more
// where there is no good place.
func TestCutJSON(t *testing.T) {
	const step, back = 64, 32
	e := mustLoad(O200kBase)
	texts := map[string]string{
		"backslashes": strings.Repeat("\\", 20_000),
		"quotes":      strings.Repeat("\"", 20_000),
		"newlines":    strings.Repeat("\\n", 20_000),
		"Chinese":     corpus.Text(t, "cjk", 60_000, 3),
		"code":        corpus.Text(t, "code", 60_000, 3),
		"chat":        corpus.Text(t, "chat", 60_000, 3),
		"letters":     strings.Repeat("abcdefghij", 6000),
	}
	bodies := map[string][]byte{"emoji, escaped": []byte(strings.Repeat(`\ud83d\ude00`, 5000))}
	for name, text := range texts {
		bodies[name] = rawjson.AppendEscaped(nil, text)
	}
	for name, body := range bodies {
		last, sum := 0, 0
		for i := step; i < len(body); i += step {
			at := CutJSON(body, i, back)
			if at > i || at <= i-back-1 {
				t.Fatalf("%s: cut at %d, want at most %d before %d", name, at, back, i)
			}
			sum += e.CountJSON(body[last:at])
			last = at
		}
		sum += e.CountJSON(body[last:])
		whole := e.CountJSON(body)
		most := whole + 2*len(body)/step
		if slices.Contains([]string{"code", "chat"}, name) {
			most = whole * 102 / 100
		}
		if sum < whole || sum > most {
			t.Errorf("%s: %d tokens in cells, want %d to %d", name, sum, whole, most)
		}
	}
}
