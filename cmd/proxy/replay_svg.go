package main

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The chart of a replay, in pixels.
const (
	svgWidth, svgHeight  = 760, 480
	svgLeft, svgRight    = 64, 24
	svgTop, svgBottom    = 56, 56
	svgLabel, svgDotSize = 11, 4.5
)

// point is one strategy in the chart, in per cent.
type point struct {
	cost, recall float64
	name         string
	baseline     bool
	frontier     bool
}

// svg draws cost with re-reads against the recall of old references, a dot for
// each strategy and a line along the frontier of the settings. The colours read
// on light and on dark grounds.
func (r *replayReport) svg() string {
	points := r.points()
	left, right := axis(points, func(p point) float64 { return p.cost })
	low, high := axis(points, func(p point) float64 { return p.recall })
	x := func(v float64) float64 { return svgLeft + (v-left)/(right-left)*(svgWidth-svgLeft-svgRight) }
	y := func(v float64) float64 { return svgTop + (high-v)/(high-low)*(svgHeight-svgTop-svgBottom) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="system-ui, sans-serif" font-size="12" fill="#808080">`+"\n",
		svgWidth, svgHeight, svgWidth, svgHeight)
	fmt.Fprintf(&b, "<style>text.n{fill:#222}@media(prefers-color-scheme:dark){text.n{fill:#ddd}}</style>\n")
	fmt.Fprintf(&b, `<text class="n" x="%d" y="24" font-size="15">%s</text>`+"\n", svgLeft, "What a setting costs and what it remembers")
	fmt.Fprintf(&b, `<text x="%d" y="42">%s</text>`+"\n", svgLeft, escape(r.subtitle()))
	for _, v := range ticks(left, right) {
		fmt.Fprintf(&b, `<path d="M%.1f %d V%d" stroke="#808080" stroke-opacity=".2"/><text x="%.1f" y="%d" text-anchor="middle">%g%%</text>`+"\n",
			x(v), svgTop, svgHeight-svgBottom, x(v), svgHeight-svgBottom+16, v)
	}
	for _, v := range ticks(low, high) {
		fmt.Fprintf(&b, `<path d="M%d %.1f H%d" stroke="#808080" stroke-opacity=".2"/><text x="%d" y="%.1f" text-anchor="end">%g%%</text>`+"\n",
			svgLeft, y(v), svgWidth-svgRight, svgLeft-8, y(v)+4, v)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">input cost with re-reads, of doing nothing</text>`+"\n", (svgLeft+svgWidth-svgRight)/2, svgHeight-14)
	fmt.Fprintf(&b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">old references still at hand</text>`+"\n", (svgTop+svgHeight-svgBottom)/2)
	drawFrontier(&b, points, x, y)
	taken := make([]bool, svgHeight/svgLabel+1)
	for _, p := range points {
		drawPoint(&b, p, x(p.cost), y(p.recall), taken)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (r *replayReport) subtitle() string {
	f := r.Strategies[0].Total
	s := fmt.Sprintf("%s%s, %s; a cached token at %v", plural(f.Conversations, "conversation"), r.atLeast(" of "), plural(f.Turns, "turn"), r.Prices[0])
	if r.Half != "all" {
		s += "; " + r.Half + " half"
	}
	return s
}

// points returns the strategies in the order of their cost.
func (r *replayReport) points() (points []point) {
	for i, row := range r.Strategies {
		points = append(points, point{
			cost: 100 * row.Total.Costs[0].WithRereads(), recall: 100 * row.Total.Recall.Old.Share(),
			name: row.Name, baseline: i >= r.settings, frontier: row.Frontier,
		})
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.cost, b.cost) })
	return points
}

// drawFrontier joins the settings on the frontier.
func drawFrontier(b *strings.Builder, points []point, x, y func(float64) float64) {
	var path []string
	for _, p := range points {
		if p.frontier && !p.baseline {
			path = append(path, fmt.Sprintf("%.1f %.1f", x(p.cost), y(p.recall)))
		}
	}
	if len(path) > 1 {
		fmt.Fprintf(b, `<path d="M%s" fill="none" stroke="#0a8f8f" stroke-opacity=".5"/>`+"\n", strings.Join(path, " L"))
	}
}

// drawPoint draws a dot; those that are not in the middle of a cloud have their
// name beside it.
func drawPoint(b *strings.Builder, p point, x, y float64, taken []bool) {
	color := "#0a8f8f"
	switch {
	case p.baseline:
		color = "#808080"
	case !p.frontier:
		color = "#7fbcbc"
	}
	fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%g" fill="%s"><title>%s: cost %.1f%%, recall %.1f%%</title></circle>`+"\n",
		x, y, svgDotSize, color, escape(p.name), p.cost, p.recall)
	line := min(len(taken)-1, max(0, int(y)/svgLabel))
	if !p.frontier && !p.baseline || taken[line] {
		return
	}
	taken[line] = true
	anchor, at := "start", x+8
	if x > svgWidth*2/3 {
		anchor, at = "end", x-8
	}
	fmt.Fprintf(b, `<text class="n" x="%.1f" y="%.1f" font-size="%d" text-anchor="%s">%s</text>`+"\n", at, y+4, svgLabel, anchor, escape(p.name))
}

// axis returns the range that an axis shows: all values with some room, in whole
// steps.
func axis(points []point, of func(point) float64) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		from, to = min(from, of(p)), max(to, of(p))
	}
	if to-from < 1 {
		from, to = from-1, to+1
	}
	step := tickStep(from, to)
	return math.Floor((from-step/4)/step) * step, math.Ceil((to+step/4)/step) * step
}

// tickStep is 1, 2 or 5 times a power of ten, for about six steps.
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

func ticks(from, to float64) (at []float64) {
	step := tickStep(from, to)
	for i := 0; from+float64(i)*step <= to+step/2; i++ {
		at = append(at, math.Round((from+float64(i)*step)*1e6)/1e6)
	}
	return at
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
