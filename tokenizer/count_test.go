package tokenizer

import (
	"sync"
	"testing"

	"killick/chat"
	"killick/rawjson"
	"killick/tokenizer/bpe"
	"killick/tokenizer/internal/corpus"
)

// TestKnownMessagesDoNotAllocate: counting messages that were counted before
// allocates nothing.
func TestKnownMessagesDoNotAllocate(t *testing.T) {
	m := New(Options{}).For("gpt-4o")
	req := newConversation(t, "gpt-4o", 42).request()
	countEach(m, req)
	if n := testing.AllocsPerRun(5, func() { countEach(m, req) }); n != 0 {
		t.Errorf("messages counted before: %v allocations, want 0", n)
	}
}

// TestConcurrent counts the same texts from many goroutines at once.
func TestConcurrent(t *testing.T) {
	e := mustLoad(bpe.O200kBase)
	c := New(Options{MemoEntries: 64})
	texts := make([]string, 8)
	want := make([]int, len(texts))
	reqs := make([]string, len(texts))
	for i := range texts {
		texts[i] = corpus.Text(t, corpus.Kinds[i%len(corpus.Kinds)], 20<<10, uint64(50+i))
		want[i] = e.CountString(texts[i])
		reqs[i] = `{"model":"gpt-4o","messages":[{"role":"user",` +
			`"content":` + string(rawjson.AppendQuoted(nil, texts[i])) + `}]}`
	}
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for round := range 6 {
				i := (g + round) % len(texts)
				if got := e.CountString(texts[i]); got != want[i] {
					t.Errorf("text %d: %d tokens, want %d", i, got, want[i])
				}
				req, err := chat.Parse([]byte(reqs[i]))
				if err != nil {
					t.Error(err)
					return
				}
				m := c.For("gpt-4o")
				if got := m.Request(req).Total; got != want[i]+7 {
					t.Errorf("request %d: %d tokens, want %d", i, got, want[i]+7)
				}
				m.Observe(m.Request(req).Total, want[i]+g)
				m.Ratio(nil)
			}
		})
	}
	wg.Wait()
}
