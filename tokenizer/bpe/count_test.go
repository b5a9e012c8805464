package bpe

import (
	"strings"
	"testing"

	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
)

// TestNoAllocations: once warm, counting allocates nothing.
func TestNoAllocations(t *testing.T) {
	text := corpus.Text(t, "chat", 20<<10, 41)
	cjk := corpus.Text(t, "cjk", 20<<10, 41)
	body := rawjson.AppendEscaped(nil, text)
	long := strings.Repeat("ab", 10<<10)
	for _, name := range allEncodings {
		e := mustLoad(name)
		for what, count := range map[string]func(){
			"text":        func() { e.CountString(text) },
			"cjk":         func() { e.CountString(cjk) },
			"a JSON body": func() { e.CountJSON(body) },
			"one piece":   func() { e.CountString(long) },
			"broken text": func() { e.CountString("\xff\xfe broken text \x80") },
		} {
			count()
			if n := testing.AllocsPerRun(5, count); n != 0 {
				t.Errorf("%s, %s: %v allocations a count, want 0", name, what, n)
			}
		}
	}
}

// TestReplacement: a byte that is not UTF-8 counts as one token at most, so that no text has more
// tokens than bytes.
func TestReplacement(t *testing.T) {
	for _, name := range allEncodings {
		if n := mustLoad(name).CountString("\uFFFD"); n != 1 {
			t.Errorf("%s: U+FFFD counts %d tokens, want 1", name, n)
		}
	}
}

// TestScratchIsBounded: texts counted at once leave no more behind than can be
// used at once.
func TestScratchIsBounded(t *testing.T) {
	e := mustLoad(O200kBase).engine
	var taken []*scratch
	for range 3 * e.idle.most {
		taken = append(taken, e.idle.take())
	}
	for _, sc := range taken {
		e.idle.give(sc)
	}
	if n := len(e.idle.idle); n != e.idle.most {
		t.Errorf("%d kept, want %d", n, e.idle.most)
	}
	last := e.idle.idle[e.idle.most-1]
	sc := e.idle.take()
	if sc != last {
		t.Error("the one that was used last is not taken first")
	}
	defer e.idle.give(sc)
	e.countJSON(rawjson.AppendEscaped(nil, "\n"+strings.Repeat("a", 1<<20)))
	if cap(sc.decoded) > 2*decodedSize {
		t.Errorf("a buffer of %d bytes is kept, want %d", cap(sc.decoded), decodedSize)
	}
}
