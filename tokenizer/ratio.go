package tokenizer

import (
	"cmp"
	"container/list"
	"slices"
	"sync"
)

const (
	// ratioWindow is the number of reports that a ratio follows from.
	ratioWindow = 32
	// With fewer reports than fewReports, the ratio is not lower than the one assumed before.
	fewReports = 5
	// minObserved is the smallest request, in our tokens, whose report is used: smaller ones
	// consist mostly of frames.
	minObserved = 256
)

// Reports outside these multiples of our count are ignored: they are a usage field without the
// cached tokens, a count of characters, something billed that is not text, or made up.
const (
	minRatio = 0.5
	maxRatio = 3
)

// ratioBounds say which ratios a model may have.
type ratioBounds struct {
	assumed float64 // before anything was reported
	lowest  float64
	highest float64
	margin  float64 // for the next request, which has another text
}

var (
	// For a published tokenizer, only the frames of messages are unknown.
	publishedBounds = ratioBounds{assumed: 1, lowest: 1, highest: 1.1, margin: 1.01}
	// If the factors of a tokenizer are known, single texts still differ from others of their kind.
	estimatedBounds = ratioBounds{assumed: 1.05, lowest: 0.6, highest: 2, margin: 1.02}
	// Other tokenizers take as many tokens as o200k_base, or up to half as many more, depending on
	// the text.
	unpublishedBounds = ratioBounds{assumed: 1.35, lowest: 1, highest: 2.5, margin: 1.01}
)

// ratio is the number of tokens that upstreams count for one of our estimate, by their last reports
// for one model and one client.
type ratio struct {
	last    [ratioWindow]float64
	reports int
	adopted float64 // what another process learned; 0: nothing
}

// observe adds a report. It reports whether the number was believed.
func (r *ratio) observe(ours, theirs int) bool {
	if ours < minObserved || theirs <= 0 {
		return false
	}
	x := float64(theirs) / float64(ours)
	if x < minRatio || x > maxRatio {
		return false
	}
	r.last[r.reports%ratioWindow] = x
	r.reports++
	return true
}

// value returns the upper quartile of the last reports, with a margin. So up to a quarter of them
// may be far too high, or three quarters far too low, and the rest still decides.
func (r *ratio) value(bounds *ratioBounds) float64 {
	n, last := min(r.reports, ratioWindow), r.last
	x := cmp.Or(r.adopted, bounds.assumed)
	if n > 0 {
		slices.Sort(last[:n])
		quartile := last[(n-1)*3/4]
		if n >= fewReports || quartile > x/bounds.margin {
			x = quartile * bounds.margin
		}
	}
	return min(max(x, bounds.lowest), bounds.highest)
}

// maxKeptRatios is how many ratios are kept, of 0.4 KB each. The least recently used goes first.
const maxKeptRatios = 4096

// ratios has the ratios of the clients and models that were used last.
type ratios struct {
	mu     sync.Mutex
	known  map[ratioKey]*list.Element // of recent
	recent list.List                  // of *clientRatio
}

// ratioKey has a client's keyed hash, and a hash of a model's name: clients may send names of any
// length.
type ratioKey struct {
	who   string
	model uint64
}

type clientRatio struct {
	key ratioKey
	ratio
}

// get returns a copy of a ratio, the zero one if nothing was reported.
func (r *ratios) get(key ratioKey) ratio {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.known[key]
	if at == nil {
		return ratio{}
	}
	r.recent.MoveToFront(at)
	return at.Value.(*clientRatio).ratio
}

// observe adds a report to a ratio.
func (r *ratios) observe(key ratioKey, ours, theirs int) (believed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.known[key]; at != nil {
		r.recent.MoveToFront(at)
		return at.Value.(*clientRatio).observe(ours, theirs)
	}
	var first ratio
	if !first.observe(ours, theirs) {
		return false
	}
	r.add(key, &first)
	return true
}

// adopt keeps what another process learned.
func (r *ratios) adopt(key ratioKey, learned float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.known[key]; at != nil {
		at.Value.(*clientRatio).adopted = learned
		return
	}
	r.add(key, &ratio{adopted: learned})
}

// add keeps the first ratio under a key. The caller holds mu.
func (r *ratios) add(key ratioKey, first *ratio) {
	if r.known == nil {
		r.known = map[ratioKey]*list.Element{}
	}
	if len(r.known) == maxKeptRatios {
		delete(r.known, r.recent.Remove(r.recent.Back()).(*clientRatio).key)
	}
	r.known[key] = r.recent.PushFront(&clientRatio{key, *first})
}

// forget drops the ratios of one client, or of all clients if who is "".
func (r *ratios) forget(who string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at := r.recent.Front(); at != nil; {
		known, next := at.Value.(*clientRatio), at.Next()
		if who == "" || known.key.who == who {
			delete(r.known, known.key)
			r.recent.Remove(at)
		}
		at = next
	}
}
