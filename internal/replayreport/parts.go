package replayreport

import (
	"fmt"
	"strings"

	"killick/internal/terminal"
	"killick/replay/billing"
)

// partColumns are the columns for the parts of a bill; see [billing.Parts].
var partColumns = []struct {
	head  string
	width int
	cost  func(billing.Parts) float64
}{
	{"preamble", 9, func(p billing.Parts) float64 { return p.Preamble }},
	{"new", 7, func(p billing.Parts) float64 { return p.New }},
	{"cached", 8, func(p billing.Parts) float64 { return p.Cached }},
	{"changed", 8, func(p billing.Parts) float64 { return p.Rewritten }},
	{"expired", 8, func(p billing.Parts) float64 { return p.Expired }},
	{"lost", 6, func(p billing.Parts) float64 { return p.Lost }},
}

// drawParts draws the parts of the bill under each profile, without compaction and of a strategy.
func (r *Report) drawParts(b *strings.Builder, l terminal.Look, row Row) {
	width := r.widthOfProfiles()
	head := fmt.Sprintf("  %-*s", width, "parts of the bill")
	for _, c := range partColumns {
		head += fmt.Sprintf("%*s", c.width, c.head)
	}
	fmt.Fprintf(b, "\n%s\n", l.Dim(head+fmt.Sprintf("%10s", "re-reads")))
	line := func(name string, parts billing.Parts, rereads, raw float64) {
		fmt.Fprintf(b, "  %-*s", width, name)
		for _, c := range partColumns {
			fmt.Fprintf(b, "%*s", c.width, tenths(c.cost(parts)/raw))
		}
		fmt.Fprintf(b, "%10s\n", tenths(rereads/raw))
	}
	for _, v := range row.Invoices {
		raw := v.Bill.Raw.Total()
		line("no compaction", v.Bill.Raw, 0, raw)
		line(terminal.Printable(v.Profile), v.Bill.Sent, v.Bill.Rereads, raw)
	}
}

// widthOfProfiles returns the width of the column of their names, so that none is cut.
func (r *Report) widthOfProfiles() int {
	width := profileWidth
	for _, p := range r.Profiles {
		width = max(width, len([]rune(terminal.Printable(p.Name))))
	}
	return width
}

// profileWidth is the width of the first column of tables, where the names of profiles are, if none
// needs more.
const profileWidth = 18
