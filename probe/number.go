package probe

import (
	"strconv"
	"strings"
)

// unit is a physical dimension and what one of it counts in the dimension's smallest unit.
type unit struct {
	dim    string
	factor float64
}

var units = map[string]unit{}

func init() {
	for dim, list := range map[string][]struct {
		names  string
		factor float64
	}{
		"time": {{"ns nanosecond nanoseconds", 1e-6}, {"us µs microsecond microseconds", 1e-3},
			{"ms msec msecs millisecond milliseconds", 1}, {"s sec secs second seconds", 1e3},
			{"min mins minute minutes", 6e4}, {"h hr hrs hour hours", 36e5}, {"d day days", 864e5}, {"week weeks", 6048e5}},
		"size": {{"b byte bytes", 1}, {"kb kilobyte kilobytes", 1e3}, {"mb megabyte megabytes", 1e6},
			{"gb gigabyte gigabytes", 1e9}, {"tb terabyte terabytes", 1e12}, {"kib", 1 << 10}, {"mib", 1 << 20},
			{"gib", 1 << 30}},
		"share":  {{"% percent pct", 1}},
		"length": {{"px pixel pixels", 1}},
		"usd":    {{"$ usd dollar dollars", 1}},
		"eur":    {{"€ eur euro euros", 1}},
		"gbp":    {{"£ gbp", 1}},
	} {
		for _, u := range list {
			for _, n := range strings.Fields(u.names) {
				units[n] = unit{dim, u.factor}
			}
		}
	}
}

// bareUnits are the unit names that may stand apart from their number: "10 ms", not "2 s" or "4 d", which are letters
// of something else as often.
func bareUnit(word string) (unit, bool) {
	if len(word) < 2 || word == "us" {
		return unit{}, false
	}
	u, ok := units[word]
	return u, ok
}

// quantity is a number as compared: 8k, 8,000 and 8_000 are one, and so are 300s and 5 minutes.
type quantity struct {
	value float64
	unit  unit
}

// key spells the quantity for lookup; bare leaves the unit out.
func (q quantity) key() string {
	if q.unit.dim == "" {
		return q.bare()
	}
	return "n:" + q.unit.dim + strconv.FormatFloat(q.value*q.unit.factor, 'g', 12, 64)
}

func (q quantity) bare() string { return "n:" + strconv.FormatFloat(q.value, 'g', 12, 64) }

// parseQuantity reads a folded chunk that begins with a digit, a sign or a currency: "1,000", "0x1f", "8k", "10ms",
// "$2.50", "50%", "20th". ok is false if the chunk is anything else.
func parseQuantity(s string) (q quantity, ok bool) {
	for _, c := range [...]string{"$", "€", "£"} {
		if rest, found := strings.CutPrefix(s, c); found {
			s, q.unit = rest, units[c]
		}
	}
	s = strings.TrimPrefix(s, "#")
	if hex, found := strings.CutPrefix(s, "0x"); found {
		n, err := strconv.ParseUint(hex, 16, 64)
		q.value = float64(n)
		return q, err == nil
	}
	end := strings.IndexFunc(strings.TrimPrefix(s, "-"), func(r rune) bool {
		return (r < '0' || r > '9') && r != '.' && r != ',' && r != '_'
	})
	digits, tail := s, ""
	if end >= 0 {
		end += len(s) - len(strings.TrimPrefix(s, "-"))
		digits, tail = s[:end], s[end:]
	}
	if !thousands(digits) || strings.Count(digits, ".") > 1 || len(digits) > 40 {
		return q, false
	}
	n, err := strconv.ParseFloat(groupMarks.Replace(digits), 64)
	if err != nil {
		return q, false
	}
	q.value = n
	switch u, known := units[tail]; {
	case tail == "" || tail == "th" || tail == "st" || tail == "nd" || tail == "rd" || tail == "x":
	case tail == "k" && q.unit.dim == "":
		q.value *= 1000
	case known && q.unit.dim == "":
		q.unit = u
	default:
		return q, false
	}
	return q, true
}

var groupMarks = strings.NewReplacer(",", "", "_", "")

// thousands reports whether the commas in digits, if any, group three digits each.
func thousands(digits string) bool {
	whole, _, _ := strings.Cut(digits, ".")
	for i, group := range strings.Split(whole, ",") {
		if i > 0 && len(group) != 3 {
			return false
		}
	}
	return digits != "" && digits != "-"
}

// release is a version: its numeric components and what follows them ("rc1" of v1.2.0-rc1).
type release struct {
	parts []string
	tail  string
}

// parseRelease reads a folded chunk such as v1, v1.2, 1.2.3 or 1.2.3-beta.1. Two components without a "v" are a release
// only to a caller that knows more (1.2 may be a plain number), so dotted says how many points there are.
func parseRelease(s string) (rel release, ok bool) {
	rest, marked := strings.CutPrefix(s, "v")
	if i := strings.IndexAny(rest, "-+"); i > 0 {
		rest, rel.tail = rest[:i], rest[i+1:]
	}
	for len(rest) > 0 {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 0 || n > 9 {
			return release{}, false
		}
		part := strings.TrimLeft(rest[:n], "0")
		if part == "" {
			part = "0"
		}
		rel.parts = append(rel.parts, part)
		rest = rest[n:]
		if rest == "" {
			break
		}
		if rest[0] != '.' || len(rest) == 1 || len(rel.parts) > 5 {
			return release{}, false
		}
		rest = rest[1:]
	}
	return rel, len(rel.parts) > 0 && (marked || len(rel.parts) > 1)
}

// match says how well a release answers the one expected: 1 when equal (1.0 is 1.0.0), 0.8 when it is more precise,
// half when it leaves out what was asked for, 0 when any component differs.
func (want release) match(got release) float64 {
	short := min(len(want.parts), len(got.parts))
	for i := range short {
		if want.parts[i] != got.parts[i] {
			return 0
		}
	}
	score := 1.0
	for _, p := range want.parts[short:] {
		if p != "0" {
			score = 0.5
		}
	}
	for _, p := range got.parts[short:] {
		if p != "0" {
			score = 0.8
		}
	}
	switch {
	case want.tail == got.tail:
	case want.tail == "":
		score = min(score, 0.5)
	case got.tail == "":
		score = min(score, 0.5)
	default:
		score = 0
	}
	return score
}
