package conversations

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// The plot, in pixels: two panels side by side.
const (
	panelWidth, panelHeight, panelGap = 250, 230, 80
	plotLeft, plotTop                 = 64, 40
	plotWidth, plotHeight             = 880, 360
)

var colors = []string{"#1b6ca8", "#0a8f8f", "#7a4fb5", "#c2571a", "#808080", "#b03060"}

// line is a line of a plot: values at numbers of conversations.
type line struct {
	name   string
	at     []float64
	values []float64
}

// Plot draws bytes for each conversation, and how long requests take, against the number of
// conversations.
func Plot(r *Result) string {
	memory := line{name: "bytes"}
	times := map[string]*line{}
	var order []string
	add := func(name string, at int, d time.Duration) {
		if times[name] == nil {
			times[name], order = &line{name: name}, append(order, name)
		}
		times[name].at = append(times[name].at, float64(at))
		times[name].values = append(times[name].values, float64(d.Microseconds()))
	}
	for _, s := range r.Shared {
		memory.at = append(memory.at, float64(s.Conversations))
		memory.values = append(memory.values, float64(s.PerConversation()))
		for _, q := range s.Requests {
			if q.Kind == again || q.Kind == making {
				add(q.Kind+", shared, median", s.Conversations, q.Median)
				add(q.Kind+", shared, p99", s.Conversations, q.P99)
			}
		}
	}
	for _, s := range r.OnDisk {
		for _, q := range s.Requests {
			if q.Kind == making {
				add(q.Kind+", on disk, median", s.Conversations, q.Median)
				add(q.Kind+", on disk, p99", s.Conversations, q.P99)
			}
		}
	}
	lines := make([]line, 0, len(order))
	for _, name := range order {
		lines = append(lines, *times[name])
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `+
		`font-family="sans-serif" font-size="12">`+"\n"+
		`<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n", plotWidth, plotHeight)
	panel(&b, plotLeft, "bytes for each conversation", []line{memory}, bytesOf)
	panel(&b, plotLeft+panelWidth+panelGap, "time of a request", lines, timeOf)
	for i, l := range lines {
		x, y := plotLeft+2*panelWidth+panelGap+16, plotTop+10+20*i
		fmt.Fprintf(&b, `<path d="M%d %d h14" stroke="%s" stroke-width="2"/>`+
			`<text x="%d" y="%d" font-size="10" fill="#222">%s</text>`+"\n", x, y-4,
			colors[i%len(colors)], x+18, y, l.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// panel draws lines over the logarithm of numbers of conversations. Values have a logarithmic axis,
// too, from a power of ten to another.
func panel(b *strings.Builder, left int, title string, lines []line, label func(float64) string) {
	low, high, from, to := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for i, v := range l.values {
			low, high = min(low, math.Floor(math.Log10(v))), max(high, math.Ceil(math.Log10(v)))
			from, to = min(from, math.Log10(l.at[i])), max(to, math.Log10(l.at[i]))
		}
	}
	x := func(n float64) float64 {
		return float64(left) + (math.Log10(n)-from)/max(to-from, 1)*panelWidth
	}
	y := func(v float64) float64 {
		return plotTop + panelHeight - (math.Log10(v)-low)/max(high-low, 1)*panelHeight
	}
	fmt.Fprintf(b, `<text x="%d" y="24" fill="#222">%s</text>`+"\n", left, title)
	for power := low; power <= high; power++ {
		v := math.Pow(10, power)
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#e0e0e0"/>`+
			`<text x="%d" y="%.1f" text-anchor="end" fill="#444">%s</text>`+"\n",
			left, y(v), left+panelWidth, y(v), left-6, y(v)+4, label(v))
	}
	for power := math.Ceil(from); power <= to; power++ {
		n := math.Pow(10, power)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#444">%.0f</text>`+"\n",
			x(n), plotTop+panelHeight+20, n)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" fill="#444">conversations</text>`+"\n",
		left+panelWidth/2, plotTop+panelHeight+42)
	for i, l := range lines {
		points := make([]string, len(l.values))
		for j, v := range l.values {
			points[j] = fmt.Sprintf("%.1f,%.1f", x(l.at[j]), y(v))
		}
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>`+"\n",
			colors[i%len(colors)], strings.Join(points, " "))
	}
}

func bytesOf(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.0f MB", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.0f kB", v/1e3)
	}
	return fmt.Sprintf("%.0f B", v)
}

func timeOf(us float64) string {
	if us >= 1e3 {
		return fmt.Sprintf("%.0f ms", us/1e3)
	}
	return fmt.Sprintf("%.0f µs", us)
}
