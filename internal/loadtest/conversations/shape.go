package conversations

import (
	"math"
	"math/rand/v2"
)

// quantiles are the 0th, 10th, 25th, 50th, 75th, 90th, 95th, 99th and 100th percentile of a size.
type quantiles [len(percents)]float64

var percents = [...]float64{0, .10, .25, .50, .75, .90, .95, .99, 1}

// at returns the size at a share of all sizes. Between two percentiles sizes grow by the same
// factor for the same step.
func (q *quantiles) at(share float64) float64 {
	for i := 1; i < len(percents); i++ {
		if share <= percents[i] {
			part := (share - percents[i-1]) / (percents[i] - percents[i-1])
			return q[i-1] * math.Pow(q[i]/q[i-1], part)
		}
	}
	return q[len(q)-1]
}

// What the 49 of the recorded conversations that are compacted with default settings leave in a
// store: see docs/performance.md, "A shared store", for where they are from. The last percent of
// originals, of up to 93 kB, ends here where the mean is the recorded one.
var (
	formsOfOne     = quantiles{1, 1, 1, 3, 6, 14, 18, 21, 21}
	originalsOfOne = quantiles{2, 5, 9, 33, 65, 162, 173, 202, 202}

	formBytes  = quantiles{496, 9205, 80845, 123446, 151209, 168966, 179833, 203299, 215607}
	formPacked = quantiles{480, 3045, 18932, 32627, 38661, 45519, 49956, 53413, 53549}

	originalBytes  = quantiles{2, 115, 261, 1067, 2695, 7375, 15541, 47269, 60000}
	originalPacked = quantiles{3, 116, 219, 484, 1103, 2513, 4573, 14010, 18000}
)

const (
	messagesOfForm = 30 // that a conversation grows by from one form to the next
	lastSeenBytes  = 17
)

// Shape says what a conversation leaves in a store.
type Shape struct {
	Name string

	Forms, Originals int     // of each conversation; if zero, as many as recorded ones have
	Divisor          float64 // recorded sizes are divided by it; if zero, 1
}

// Recorded conversations, and ones so small that a million of them fit into a few gigabytes: the
// overhead of each name is the same for both.
var (
	Recorded = Shape{Name: "recorded sizes"}
	Small    = Shape{Name: "a 32nd", Forms: 2, Originals: 3, Divisor: 32}
)

// size is the size of a value, and its compressed size.
type size struct{ plain, packed int }

// life is what one conversation stores.
type life struct {
	forms     []size
	originals [][]size // before each form
}

// life returns what the conversation with a number stores.
func (s *Shape) life(number int) (l life) {
	draw := rand.New(rand.NewPCG(uint64(number), 1))
	length := draw.Float64()
	forms, originals := s.Forms, s.Originals
	if forms == 0 {
		forms = int(math.Round(formsOfOne.at(length)))
		originals = int(math.Round(originalsOfOne.at(length)))
	}
	for i := range forms {
		l.forms = append(l.forms, s.size(&formBytes, &formPacked, draw.Float64()))
		var list []size
		for range originals*(i+1)/forms - originals*i/forms {
			list = append(list, s.size(&originalBytes, &originalPacked, draw.Float64()))
		}
		l.originals = append(l.originals, list)
	}
	return l
}

func (s *Shape) size(plain, packed *quantiles, share float64) size {
	by := max(s.Divisor, 1)
	return size{max(int(plain.at(share)/by), 1), max(int(packed.at(share)/by), 1)}
}

// pool is incompressible data that values are cut from.
var pool = func() []byte {
	b := make([]byte, 1<<20)
	draw := rand.New(rand.NewPCG(2, 3))
	for i := range b {
		b[i] = byte(draw.Uint32())
	}
	return b
}()

// value returns a value that compresses to a size: that much incompressible data, then zeros.
func (s size) value(number int) []byte {
	b := make([]byte, max(s.plain, s.packed))
	random := min(s.packed, len(pool)/2)
	from := number * 7919 % (len(pool) - random)
	copy(b, pool[from:from+random])
	return b
}
