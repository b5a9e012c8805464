package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// String describes the decision in one line.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "at %d messages, %d tokens over %d, %d more turns expected; ",
		p.At, p.Size, p.Limit, p.Turns)
	b.WriteString(strings.Join(append(p.Prices.explain(), p.Cache.explain(p.Cold)...), ", "))
	for i, o := range p.Options {
		b.WriteString(map[bool]string{true: ": ", false: "; "}[i == 0])
		fmt.Fprintf(&b, "%s %d a turn (%d tokens", optionNames[o.Outcome], o.PerTurn, o.After)
		if o.Outcome != Stay {
			fmt.Fprintf(&b, ", %d rewritten, %d lost", o.Rewritten, o.Loss)
		}
		b.WriteByte(')')
	}
	return b.String() + " -> " + p.Chosen
}

// optionNames are the outcomes as String names them.
var optionNames = map[string]string{Stay: "stay", Mask: "mask", Fold: "fold"}

func (p Prices) explain() []string {
	known := p.orDefault()
	parts := []string{"p " + inFresh(known.Cached), "w " + inFresh(known.Write)}
	if p == (Prices{}) {
		parts[1] += " (assumed)"
	}
	if known.Output > 0 {
		parts = append(parts, "output "+inFresh(known.Output))
	}
	if c := known.Cliff; c.Above > 0 {
		parts = append(parts, fmt.Sprintf("×%s above %d tokens", inFresh(c.Factor), c.Above))
	}
	return parts
}

// inFresh formats a price relative to fresh input.
func inFresh(price int) string { return strconv.FormatFloat(float64(price)/Fresh, 'f', -1, 64) }

func (c Cache) explain(cold bool) []string {
	parts := []string{fmt.Sprintf("%d preamble", c.Preamble)}
	if c.Lifetime > 0 {
		parts = append(parts, "cached for "+duration(c.Lifetime))
	}
	if c.Seen {
		parts = append(parts, "idle for "+duration(c.Idle))
	}
	switch {
	case cold && c.Changed:
		parts = append(parts, "nothing cached (other instructions, tools or model)")
	case cold:
		parts = append(parts, "nothing cached (idle for longer)")
	}
	return parts
}

// duration formats a duration in whole seconds, without units that are zero.
func duration(d time.Duration) string {
	text := d.Round(time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if short, ok := strings.CutSuffix(text, zero); ok {
			text = short + zero[:1]
		}
	}
	return text
}
