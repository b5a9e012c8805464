package request

import (
	"iter"
	"slices"
	"time"

	"killick/internal/fakemessages/jsontree"
)

// maxMarks is the most cache_control marks of a request, the automatic one included.
const maxMarks = 4

// How long what a mark writes is kept.
const (
	Short = 5 * time.Minute
	Long  = time.Hour
)

// readMark reads the cache_control of a block, nil if there is none.
func readMark(o jsontree.Object, path string) (*mark, *Error) {
	v, _ := o.Get(CacheControl)
	if v == nil {
		return nil, nil
	}
	m, ok := v.(jsontree.Object)
	at := path + "." + CacheControl
	switch {
	case !ok:
		return nil, Invalid("%s: Input should be a valid dictionary", at)
	case m.Text("type") != "ephemeral":
		return nil, Invalid("%s.type: Input should be 'ephemeral'", at)
	}
	for _, f := range m {
		if f.Name != "type" && f.Name != "ttl" && f.Name != "scope" {
			return nil, extra(at + "." + f.Name)
		}
	}
	ttl, present := m.Get("ttl")
	switch {
	case !present || ttl == nil || ttl == "5m":
		return &mark{Ttl: Short, path: path}, nil
	case ttl == "1h":
		return &mark{Ttl: Long, path: path}, nil
	}
	return nil, Invalid("%s.ttl: Input should be '5m' or '1h'", at)
}

// checkMarks collects the marks in prefix order and checks how many there are and their order.
func (r *Request) checkMarks() *Error {
	for b := range r.inOrder() {
		for _, m := range b.marks {
			m.Block = b
			r.Marks = append(r.Marks, m)
		}
	}
	if e := r.markAutomatically(); e != nil {
		return e
	}
	if n := len(r.Marks); n > maxMarks {
		return Invalid("A maximum of %d blocks with cache_control may be provided. Found %d.",
			maxMarks, n)
	}
	for i, m := range r.Marks {
		if i > 0 && m.Ttl > r.Marks[i-1].Ttl {
			return Invalid("%s.cache_control.ttl: a ttl='1h' cache_control block must not come "+
				"after a ttl='5m' cache_control block. Note that blocks are processed in the "+
				"following order: `tools`, `system`, `messages`.", m.path)
		}
	}
	return nil
}

// inOrder yields tools, system and messages, which is how a prompt is cached.
func (r *Request) inOrder() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for _, blocks := range r.levels() {
			for _, b := range blocks {
				if !yield(b) {
					return
				}
			}
		}
	}
}

// levels returns the blocks of the tools, of the system prompt and of the messages.
func (r *Request) levels() [3][]*Block {
	var all []*Block
	for _, m := range r.Messages {
		all = append(all, m.Blocks...)
	}
	return [3][]*Block{r.Tools, r.System, all}
}

// markAutomatically places the mark of a cache_control at the top level: on the last block that can
// have one.
func (r *Request) markAutomatically() *Error {
	m, e := readMark(r.Fields, "")
	if m == nil || e != nil {
		return e
	}
	for _, b := range slices.Backward(slices.Collect(r.inOrder())) {
		if b.IsThinking() || b.Type == TypeText && b.Text == "" {
			continue
		}
		for _, own := range b.marks {
			switch {
			case own.path != b.Path: // inside a result
			case own.Ttl != m.Ttl:
				return Invalid("Top-level cache_control has ttl='%s' but the target block "+
					"already has cache_control with ttl='%s'", ttlName(m.Ttl), ttlName(own.Ttl))
			default:
				return nil
			}
		}
		m.path, m.Block = b.Path, b
		r.Marks = append(r.Marks, m)
		return nil
	}
	return nil
}

func ttlName(ttl time.Duration) string {
	if ttl == Long {
		return "1h"
	}
	return "5m"
}
