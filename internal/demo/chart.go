package demo

import (
	"fmt"
	"strings"

	"killick/internal/terminal"
)

// chartRows is the height of the chart.
const chartRows = 9

// drawChart draws the size of each request: as the client sent it above, as it was forwarded below.
func drawChart(r *Report, l terminal.Look) string {
	const margin = 9 // of the scale, with its axis
	width := l.Width - margin - 2
	if len(r.Turns) == 0 || l.Width < terminal.MinWidth {
		return ""
	}
	columns := spread(r.Turns, width)
	top := 1
	for _, c := range columns {
		top = max(top, c.Raw, c.Sent)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  tokens a request   %s from the client   %s to the model\n\n",
		l.Raw(l.Glyphs.Raw), l.Sent(l.Glyphs.Sent))
	for row := chartRows; row > 0; row-- {
		label := ""
		if row == chartRows || row == (chartRows+1)/2 || row == 1 {
			label = thousands(top * row / chartRows)
		}
		fmt.Fprintf(&b, "  %6s %s%s\n", label, l.Dim(l.Glyphs.Axis), chartRow(columns, row, top, l))
	}
	fmt.Fprintf(&b, "  %6s %s\n", "",
		l.Dim(l.Glyphs.Corner+strings.Repeat(l.Glyphs.Rule, len(columns))))
	last := fmt.Sprintf("turn %d", len(r.Turns))
	fmt.Fprintf(&b, "  %6s  %-*s%s\n", "", max(6, len(columns)-len(last)), "turn 1", last)
	return b.String()
}

// spread distributes the turns over n columns; a column with several shows the largest.
func spread(turns []turn, n int) []turn {
	if len(turns) == 0 {
		return nil
	}
	columns := make([]turn, n)
	for i := range columns {
		from, to := i*len(turns)/n, max(i*len(turns)/n+1, (i+1)*len(turns)/n)
		for _, t := range turns[from:to] {
			columns[i].Raw = max(columns[i].Raw, t.Raw)
			columns[i].Sent = max(columns[i].Sent, t.Sent)
		}
	}
	return columns
}

// chartRow draws one row, runs of the same kind in one stretch of colour.
func chartRow(columns []turn, row, top int, l terminal.Look) string {
	// to the nearest row
	filled := func(tokens int) bool { return tokens*2*chartRows >= (2*row-1)*top }
	kind := func(c turn) int {
		switch {
		case filled(c.Sent):
			return 2
		case filled(c.Raw):
			return 1
		}
		return 0
	}
	paint := [3]func(string) string{
		func(s string) string { return s },
		l.Raw, l.Sent,
	}
	glyph := [3]string{" ", l.Glyphs.Raw, l.Glyphs.Sent}
	var b strings.Builder
	for i := 0; i < len(columns); {
		k, j := kind(columns[i]), i
		for j < len(columns) && kind(columns[j]) == k {
			j++
		}
		b.WriteString(paint[k](strings.Repeat(glyph[k], j-i)))
		i = j
	}
	return strings.TrimRight(b.String(), " ")
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}
