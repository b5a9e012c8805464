package replayreport

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"

	"killick/internal/terminal"
)

// Sizes in a chart, in pixels.
const (
	svgWidth, svgHeight  = 760, 480
	svgLeft, svgRight    = 64, 24
	svgTop, svgBottom    = 56, 56
	svgLabel, svgDotSize = 11, 4.5
)

// point is a strategy in a chart. saved and recall are in per cent.
type point struct {
	saved, recall float64
	name          string
	baseline      bool
	frontier      bool
}

// Svg draws the cost saved, re-reads included, against the recall of old references: a dot for each
// strategy and a line along the frontier of the settings. The axes cover the settings; baselines
// beyond them are drawn at the edge. The colours are legible on light and dark backgrounds.
func (r *Report) Svg() string {
	points := r.points()
	c := chart{
		x: axisOf(points, func(p point) float64 { return p.saved }, svgLeft,
			svgWidth-svgRight),
		y: axisOf(points, func(p point) float64 { return p.recall }, svgHeight-svgBottom,
			svgTop),
	}
	c.head("Savings and references kept, by setting", r.subtitle())
	c.grid(c.x.ticks(), c.y.ticks())
	c.captions("input cost saved, re-reads included", "old references kept")
	c.frontier(points)
	for _, p := range points {
		c.dot(p)
	}
	c.printf("</svg>")
	return c.out.String()
}

func (r *Report) subtitle() string {
	f := r.Strategies[0].Total
	s := fmt.Sprintf("%s%s, %s; prices: %s",
		terminal.Plural(f.Conversations, "conversation"), r.atLeast(" of "),
		terminal.Plural(f.Turns, "turn"), r.Profiles[0].Name)
	if r.Half != "all" {
		s += "; " + r.Half + " half"
	}
	return s
}

// points returns the strategies in the order of their savings, the largest first.
func (r *Report) points() (points []point) {
	for i, row := range r.Strategies {
		points = append(points, point{
			saved:  100 * (1 - row.Total.Bills[0].Share()),
			recall: 100 * row.Total.Recall.Old.Share(),
			name:   row.Name, baseline: i >= r.settings, frontier: row.Frontier,
		})
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(b.saved, a.saved) })
	return points
}

// chart is a chart that is being drawn.
type chart struct {
	x, y   axis
	labels []box
	out    strings.Builder
}

type box struct{ left, right, y float64 }

func (c *chart) printf(format string, args ...any) { fmt.Fprintf(&c.out, format+"\n", args...) }

// head begins a chart.
func (c *chart) head(title, subtitle string) {
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `+
		`font-family="system-ui, sans-serif" font-size="12" fill="#808080">`,
		svgWidth, svgHeight, svgWidth, svgHeight)
	c.printf("<style>text.n{fill:#222}@media(prefers-color-scheme:dark){text.n{fill:#ddd}}</style>")
	c.printf(`<text class="n" x="%d" y="24" font-size="15">%s</text>`, svgLeft, escape(title))
	c.printf(`<text x="%d" y="42">%s</text>`, svgLeft, escape(subtitle))
}

// grid draws lines with labels at these values, in per cent.
func (c *chart) grid(x, y []float64) {
	for _, v := range x {
		c.printf(`<path d="M%.1f %d V%d" stroke="#808080" stroke-opacity=".2"/>`+
			`<text x="%.1f" y="%d" text-anchor="middle">%g%%</text>`,
			c.x.at(v), svgTop, svgHeight-svgBottom, c.x.at(v), svgHeight-svgBottom+16, v)
	}
	for _, v := range y {
		c.printf(`<path d="M%d %.1f H%d" stroke="#808080" stroke-opacity=".2"/>`+
			`<text x="%d" y="%.1f" text-anchor="end">%g%%</text>`,
			svgLeft, c.y.at(v), svgWidth-svgRight, svgLeft-8, c.y.at(v)+4, v)
	}
}

// captions names the axes.
func (c *chart) captions(x, y string) {
	c.printf(`<text x="%d" y="%d" text-anchor="middle">%s</text>`,
		(svgLeft+svgWidth-svgRight)/2, svgHeight-14, escape(x))
	if y != "" {
		c.printf(`<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`,
			(svgTop+svgHeight-svgBottom)/2, escape(y))
	}
}

// frontier joins the settings on the frontier.
func (c *chart) frontier(points []point) {
	var path []string
	for _, p := range points {
		if p.frontier && !p.baseline {
			path = append(path, fmt.Sprintf("%.1f %.1f", c.x.at(p.saved), c.y.at(p.recall)))
		}
	}
	if len(path) > 1 {
		c.printf(`<path d="M%s" fill="none" stroke="#0a8f8f" stroke-opacity=".5"/>`,
			strings.Join(path, " L"))
	}
}

// dot draws a strategy. Baselines and strategies on the frontier have their name beside the dot, if
// there is room.
func (c *chart) dot(p point) {
	color, name := "#0a8f8f", p.name
	switch {
	case p.baseline:
		color = "#808080"
	case !p.frontier:
		color = "#7fbcbc"
	}
	x, y := c.x.at(p.saved), c.y.at(p.recall)
	c.printf(`<circle cx="%.1f" cy="%.1f" r="%g" fill="%s">`+
		`<title>%s: saved %.1f%%, recall %.1f%%</title></circle>`,
		x, y, svgDotSize, color, escape(name), p.saved, p.recall)
	if !p.frontier && !p.baseline {
		return
	}
	if !c.x.shows(p.saved) || !c.y.shows(p.recall) {
		name = fmt.Sprintf("%s (%.0f%%, %.0f%%)", name, p.saved, p.recall)
	}
	c.label(name, x, y)
}

// label writes a name beside a dot, if there is room.
func (c *chart) label(name string, x, y float64) {
	const gap = 2 * svgDotSize
	width := float64(len(name)) * svgLabel * 0.55
	label, anchor, at := box{x + gap, x + gap + width, y}, "start", x+gap
	if label.right > svgWidth {
		label, anchor, at = box{x - gap - width, x - gap, y}, "end", x-gap
	}
	for _, other := range c.labels {
		if math.Abs(other.y-y) < svgLabel && other.left < label.right && label.left < other.right {
			return
		}
	}
	c.labels = append(c.labels, label)
	c.printf(`<text class="n" x="%.1f" y="%.1f" font-size="%d" text-anchor="%s">%s</text>`, at, y+4,
		svgLabel, anchor, escape(name))
}

// axis maps values in per cent to pixels.
type axis struct {
	from, to, step float64
	start, end     float64 // pixels of from and to
}

// axisOf returns an axis that covers the settings, with whole steps at its ends.
func axisOf(points []point, of func(point) float64, start, end float64) axis {
	from, to := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		if !p.baseline {
			from, to = min(from, of(p)), max(to, of(p))
		}
	}
	from, to = from-(to-from)/8-0.5, to+(to-from)/8+0.5
	step := tickStep(from, to)
	return axis{math.Floor(from/step) * step, min(100, math.Ceil(to/step)*step), step, start, end}
}

func (a axis) shows(v float64) bool { return a.from <= v && v <= a.to }

// at returns the position of a value. A value beyond the axis is at its end.
func (a axis) at(v float64) float64 {
	v = min(max(v, a.from), a.to)
	return a.start + (v-a.from)/(a.to-a.from)*(a.end-a.start)
}

func (a axis) ticks() (values []float64) {
	for i := 0; ; i++ {
		v := math.Round((a.from+float64(i)*a.step)*1e6) / 1e6
		if v > a.to {
			return values
		}
		values = append(values, v)
	}
}

// tickStep returns the distance of lines, 1, 2 or 5 times a power of ten, for about six lines.
func tickStep(from, to float64) float64 {
	rough := (to - from) / 6
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, factor := range []float64{1, 2, 5} {
		if rough <= factor*power {
			return factor * power
		}
	}
	return 10 * power
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a strings.Builder never fails
	return b.String()
}
