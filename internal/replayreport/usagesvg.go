package replayreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"killick/internal/terminal"
)

// simulated is one conversation's simulated bill as a share of the recorded one.
type simulated struct {
	id              string
	recorded, share float64
}

// UsageSvg draws, for each conversation with usage, the simulated bill without compaction in per
// cent of the recorded bill, at the first profile. The largest bill is first.
func (r *Report) UsageSvg() string {
	all := r.simulatedBills()
	span := 5.0
	for _, s := range all {
		span = max(span, math.Ceil(math.Abs(100*s.share-100)))
	}
	c := chart{
		x: axis{0, float64(len(all) + 1), 5, svgLeft, svgWidth - svgRight},
		y: axis{100 - span - 1, 100 + span + 1, tickStep(100-span, 100+span),
			svgHeight - svgBottom, svgTop},
	}
	c.head("The bill without compaction, simulated in % of recorded", fmt.Sprintf(
		"%s, %s; the band is 5%%", terminal.Plural(len(all), "conversation"), r.Profiles[0].Name))
	c.printf(`<rect x="%d" y="%.1f" width="%d" height="%.1f" fill="#0a8f8f" fill-opacity=".1"/>`,
		svgLeft, c.y.at(105), svgWidth-svgRight-svgLeft, c.y.at(95)-c.y.at(105))
	var marks []float64
	for v := math.Ceil(c.y.from/c.y.step) * c.y.step; v <= c.y.to; v += c.y.step {
		marks = append(marks, v)
	}
	c.grid(nil, marks)
	c.captions("conversations, the largest bill first", "")
	for i, s := range all {
		c.printf(`<circle cx="%.1f" cy="%.1f" r="%g" fill="#0a8f8f">`+
			`<title>%s: %.1f%% of %.0f tokens</title></circle>`, c.x.at(float64(i+1)),
			c.y.at(100*s.share), svgDotSize, escape(s.id), 100*s.share, s.recorded)
	}
	c.printf("</svg>")
	return c.out.String()
}

func (r *Report) simulatedBills() (all []simulated) {
	for i, f := range r.Strategies[0].Conversations {
		if b := f.Bills[0]; b.Recorded > 0 {
			all = append(all, simulated{r.Conversations[i].ID, b.Recorded,
				b.Simulated / b.Recorded})
		}
	}
	slices.SortFunc(all, func(a, b simulated) int { return cmp.Compare(b.recorded, a.recorded) })
	return all
}
