package demo

import (
	"fmt"
	"strings"

	"killick/internal/config"
	"killick/internal/terminal"
)

// Draw draws the report for people.
func (r *Report) Draw(l terminal.Look) string {
	var b strings.Builder
	b.WriteString("\n" + l.Wrap(drawTitle(r), 2) + "\n\n")
	b.WriteString(drawChart(r, l))
	b.WriteString("\n")
	b.WriteString(drawBills(r, l))
	b.WriteString("\n")
	b.WriteString(drawFacts(r, l))
	b.WriteString("\n")
	b.WriteString(drawNext(l))
	return b.String()
}

func drawTitle(r *Report) string {
	when := "where the model's prices make that pay"
	if trigger, auto := amountText(r.Trigger); !auto {
		target, _ := amountText(r.Target)
		when = fmt.Sprintf("over %s to about %s", trigger, target)
	}
	return fmt.Sprintf("An agent's session of %d turns, each sent twice: straight to a scripted "+
		"upstream, and through Killick, which compacts requests %s. %.1f seconds, no key, no "+
		"network.", len(r.Turns), when, r.Seconds)
}

// amountText formats an Amount. auto reports whether it follows from prices.
func amountText(s string) (text string, auto bool) {
	var a config.Amount
	switch err := a.UnmarshalText([]byte(s)); {
	case err != nil || a == config.Auto:
		return s, true
	case a <= 1:
		return fmt.Sprintf("%.4g%% of the window", 100*float64(a)), false
	}
	return terminal.Grouped(int(a)) + " tokens", false
}

// drawBills draws the table of before and after.
func drawBills(r *Report, l terminal.Look) string {
	rows := [][4]string{
		{"", "before", "after", ""},
		{"input tokens", terminal.Grouped(r.Before.InputTokens),
			terminal.Grouped(r.After.InputTokens),
			l.Saved(float64(r.Before.InputTokens), float64(r.After.InputTokens))},
		{"input cost, " + r.Model, dollars(r.Before.InputCostUSD), dollars(r.After.InputCostUSD),
			l.Saved(r.Before.InputCostUSD, r.After.InputCostUSD)},
		{"largest request", terminal.Grouped(r.Before.Largest), terminal.Grouped(r.After.Largest),
			l.Saved(float64(r.Before.Largest), float64(r.After.Largest))},
		{"cache hit rate", terminal.Percent(r.Before.CacheHitRate),
			terminal.Percent(r.After.CacheHitRate), ""},
	}
	var b strings.Builder
	for i, row := range rows {
		line := fmt.Sprintf("  %-22s %14s %14s", row[0], row[1], row[2])
		if i == 0 {
			b.WriteString(l.Dim(line) + "\n" + l.Dim("  "+strings.Repeat(l.Glyphs.Rule, 52)) + "\n")
			continue
		}
		line = fmt.Sprintf("  %-22s %14s %s", row[0], row[1], l.Strong(fmt.Sprintf("%14s", row[2])))
		if row[3] != "" {
			line += "   " + row[3]
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// drawFacts draws the other results, with good ones in green.
func drawFacts(r *Report, l terminal.Look) string {
	var b strings.Builder
	fact := func(name, text string) { fmt.Fprintf(&b, "  %-15s %s\n", name, text) }
	fact("compactions", fmt.Sprintf("%s masked in %s, %s",
		terminal.Plural(r.MaskedOutputs, "tool output"), terminal.Plural(r.MaskPasses, "pass"),
		terminal.Plural(r.Summaries, "summary")))
	if r.Coverage != nil {
		fact("coverage", l.Mark(*r.Coverage >= 0.9,
			"records hold "+least(*r.Coverage)+" of the structured facts"))
	}
	fact("validity", l.Mark(r.BrokenPairs == 0,
		terminal.Plural(r.BrokenPairs, "broken tool pair"))+", "+
		l.Mark(r.FailedTurns == 0, terminal.Plural(r.FailedTurns, "failed request")))
	fact("", l.Mark(r.LostRequests == 0, terminal.Plural(r.LostRequests, "lost user request"))+", "+
		l.Mark(r.ChangedInstructions == 0,
			terminal.Plural(r.ChangedInstructions, "changed system message")))
	if r.FailOpens > 0 {
		fact("", l.Mark(false,
			terminal.Plural(r.FailOpens,
				"fault")+" of the proxy's own, survived; see the log above"))
	}
	fact("added latency", fmt.Sprintf("%.1f ms in the median, %.1f ms at most", r.AddedMS.P50,
		r.AddedMS.Max))
	return b.String()
}

// least formats the lowest share.
func least(share float64) string {
	if share == 1 {
		return "all"
	}
	return fmt.Sprintf("at least %d%%", int(100*share))
}

func drawNext(l terminal.Look) string {
	var b strings.Builder
	line := func(what, command string) { fmt.Fprintf(&b, "  %-18s %s\n", what, l.Strong(command)) }
	line("start the proxy", "killick serve")
	line("in the client", "base_url = http://127.0.0.1:8080/v1")
	line("what it does", "README.md; every setting: config.example.yaml")
	return b.String()
}

func dollars(usd float64) string { return fmt.Sprintf("$%.4f", usd) }
