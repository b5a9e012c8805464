package fakemessages

import (
	"iter"
	"slices"
	"time"
)

// maxMarks is the most cache_control marks of a request, the automatic one included.
const maxMarks = 4

const (
	short = 5 * time.Minute
	long  = time.Hour
)

// mark is one cache_control.
type mark struct {
	ttl   time.Duration
	path  string // of the block that it is on
	block *Block // the block whose end it marks
}

// readMark reads the cache_control of a block, nil if there is none.
func readMark(o object, path string) (*mark, *apiError) {
	v, _ := o.get(cacheControl)
	if v == nil {
		return nil, nil
	}
	m, ok := v.(object)
	at := path + "." + cacheControl
	switch {
	case !ok:
		return nil, invalid("%s: Input should be a valid dictionary", at)
	case m.text("type") != "ephemeral":
		return nil, invalid("%s.type: Input should be 'ephemeral'", at)
	}
	for _, f := range m {
		if f.name != "type" && f.name != "ttl" && f.name != "scope" {
			return nil, extra(at + "." + f.name)
		}
	}
	ttl, present := m.get("ttl")
	switch {
	case !present || ttl == nil || ttl == "5m":
		return &mark{ttl: short, path: path}, nil
	case ttl == "1h":
		return &mark{ttl: long, path: path}, nil
	}
	return nil, invalid("%s.ttl: Input should be '5m' or '1h'", at)
}

// checkMarks collects the marks in prefix order and checks how many there are and their order.
func (r *Request) checkMarks() *apiError {
	for b := range r.inOrder() {
		for _, m := range b.marks {
			m.block = b
			r.marks = append(r.marks, m)
		}
	}
	if e := r.markAutomatically(); e != nil {
		return e
	}
	if n := len(r.marks); n > maxMarks {
		return invalid("A maximum of %d blocks with cache_control may be provided. Found %d.",
			maxMarks, n)
	}
	for i, m := range r.marks {
		if i > 0 && m.ttl > r.marks[i-1].ttl {
			return invalid("%s.cache_control.ttl: a ttl='1h' cache_control block must not come "+
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
func (r *Request) markAutomatically() *apiError {
	m, e := readMark(r.fields, "")
	if m == nil || e != nil {
		return e
	}
	for _, b := range slices.Backward(slices.Collect(r.inOrder())) {
		if b.isThinking() || b.Type == typeText && b.Text == "" {
			continue
		}
		for _, own := range b.marks {
			switch {
			case own.path != b.path: // inside a result
			case own.ttl != m.ttl:
				return invalid("Top-level cache_control has ttl='%s' but the target block "+
					"already has cache_control with ttl='%s'", ttlName(m.ttl), ttlName(own.ttl))
			default:
				return nil
			}
		}
		m.path, m.block = b.path, b
		r.marks = append(r.marks, m)
		return nil
	}
	return nil
}

func ttlName(ttl time.Duration) string {
	if ttl == long {
		return "1h"
	}
	return "5m"
}
