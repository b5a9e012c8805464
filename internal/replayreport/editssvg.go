package replayreport

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"killick/internal/terminal"
)

// The target, in per cent: at least this share captured, at most this share of edits that re-read.
const aimCaptured, aimEdits = 85, 8

// priced has the results of the settings under one profile.
type priced struct {
	profile string
	points  []point // saved is the share captured, recall the share of edits that re-read
}

// EditsSvg draws the share of the savable cost that each setting captures against the share of
// turns with edits whose text was no longer in the request: a line for each profile, a dot for each
// setting. Lower right is best.
func (r *Report) EditsSvg() string {
	lines := r.pricedLines()
	var all []point
	for _, line := range lines {
		all = append(all, line.points...)
	}
	all = append(all, point{saved: aimCaptured, recall: aimEdits})
	c := chart{
		x: axisOf(all, func(p point) float64 { return p.saved }, svgLeft, svgWidth-svgRight),
		y: axisOf(append(all, point{saved: aimCaptured}),
			func(p point) float64 { return p.recall }, svgHeight-svgBottom, svgTop),
	}
	c.y.from = max(0, c.y.from)
	f := r.Strategies[0].Total
	c.head("Cost captured and edits that re-read, by setting", fmt.Sprintf("%s, %s; dashed: "+
		"the target", terminal.Plural(f.Conversations, "conversation"),
		terminal.Plural(f.Turns, "request")))
	c.grid(c.x.ticks(), c.y.ticks())
	c.captions("share of the savable cost that is captured, re-reads included",
		"turns with edits that re-read")
	c.printf(`<path d="M%.1f %.1f V%d M%.1f %.1f H%d" stroke="#c08000" stroke-dasharray="4 4"/>`,
		c.x.at(aimCaptured), c.y.at(aimEdits), svgHeight-svgBottom,
		c.x.at(aimCaptured), c.y.at(aimEdits), svgWidth-svgRight)
	for _, line := range lines {
		c.priced(line)
	}
	if r.settings > 1 {
		c.settings(lines)
	}
	c.printf("</svg>")
	return c.out.String()
}

// settings writes the name of each setting above the highest of its dots.
func (c *chart) settings(lines []priced) {
	highest := map[string]point{}
	for _, line := range lines {
		for _, p := range line.points {
			if known, ok := highest[p.name]; !ok || p.recall > known.recall {
				highest[p.name] = p
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(highest)) {
		p := highest[name]
		c.printf(`<text class="n" x="%.1f" y="%.1f" font-size="%d" text-anchor="middle">%s</text>`,
			c.x.at(p.saved), c.y.at(p.recall)-2*svgDotSize, svgLabel, escape(name))
	}
}

// pricedLines returns a line for each profile, with the settings in the order of the share that
// they capture.
func (r *Report) pricedLines() (lines []priced) {
	for i, p := range r.Profiles {
		line := priced{profile: p.Name}
		for n := range r.Strategies[:r.settings] {
			row := &r.Strategies[n]
			total, _, _ := row.at(i)
			line.points = append(line.points, point{
				name: row.Name, saved: 100 * row.Invoices[i].Captured,
				recall: 100 * total.Rereads.All().Edits.Lost(), frontier: true,
			})
		}
		slices.SortStableFunc(line.points,
			func(a, b point) int { return cmp.Compare(a.saved, b.saved) })
		lines = append(lines, line)
	}
	return lines
}

// priced draws the line of one profile, with its name beside the setting that captures most.
func (c *chart) priced(line priced) {
	var path []string
	for _, p := range line.points {
		path = append(path, fmt.Sprintf("%.1f %.1f", c.x.at(p.saved), c.y.at(p.recall)))
	}
	if len(path) > 1 {
		c.printf(`<path d="M%s" fill="none" stroke="#0a8f8f" stroke-opacity=".5"/>`,
			strings.Join(path, " L"))
	}
	for _, p := range line.points {
		c.printf(`<circle cx="%.1f" cy="%.1f" r="%g" fill="#0a8f8f">`+
			`<title>%s at %s: captured %.1f%%, edits that re-read %.1f%%</title></circle>`,
			c.x.at(p.saved), c.y.at(p.recall), svgDotSize, escape(p.name), escape(line.profile),
			p.saved, p.recall)
	}
	last := line.points[len(line.points)-1]
	c.label(line.profile, c.x.at(last.saved), c.y.at(last.recall))
}
