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

// UsageSvg draws, for each conversation with usage, the simulated bill of doing nothing in per cent
// of the recorded one, at the first profile, the largest bills first.
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
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `+
		`font-family="system-ui, sans-serif" font-size="12" fill="#808080">`,
		svgWidth, svgHeight, svgWidth, svgHeight)
	c.printf("<style>text.n{fill:#222}@media(prefers-color-scheme:dark){text.n{fill:#ddd}}</style>")
	c.printf(`<text class="n" x="%d" y="24" font-size="15">%s</text>`, svgLeft,
		"The bill of doing nothing, simulated in % of recorded")
	c.printf(`<text x="%d" y="42">%s; the band is 5%%</text>`, svgLeft, escape(fmt.Sprintf("%s, %s",
		terminal.Plural(len(all), "conversation"), r.Profiles[0].Name)))
	c.printf(`<rect x="%d" y="%.1f" width="%d" height="%.1f" fill="#0a8f8f" fill-opacity=".1"/>`,
		svgLeft, c.y.at(105), svgWidth-svgRight-svgLeft, c.y.at(95)-c.y.at(105))
	for v := math.Ceil(c.y.from/c.y.step) * c.y.step; v <= c.y.to; v += c.y.step {
		c.printf(`<path d="M%d %.1f H%d" stroke="#808080" stroke-opacity=".2"/>`+
			`<text x="%d" y="%.1f" text-anchor="end">%g%%</text>`,
			svgLeft, c.y.at(v), svgWidth-svgRight, svgLeft-8, c.y.at(v)+4, v)
	}
	c.printf(`<text x="%d" y="%d" text-anchor="middle">`+
		`conversations, the largest bill first</text>`,
		(svgLeft+svgWidth-svgRight)/2, svgHeight-14)
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
