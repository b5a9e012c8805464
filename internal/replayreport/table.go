package replayreport

import (
	"fmt"
	"strings"

	"killick/internal/terminal"
	"killick/replay"
)

// Draw draws the report for people.
func (r *Report) Draw(l terminal.Look) string {
	var b strings.Builder
	b.WriteString("\n" + l.Wrap(r.title(), 2) + "\n\n")
	r.drawRows(&b, l)
	r.drawInvoices(&b, l)
	if !r.sweep {
		r.drawDetails(&b, l, r.Strategies[0])
		r.drawConversations(&b, l)
		r.drawBills(&b, l)
	}
	return b.String()
}

func (r *Report) title() string {
	half := r.Strategies[0].Total
	s := fmt.Sprintf("%s%s: %s, %s of them past %s tokens.",
		terminal.Plural(half.Conversations, "conversation"), r.atLeast(" of "),
		terminal.Plural(half.Turns, "turn"),
		terminal.Grouped(half.Tokens.Past32k.Turns), terminal.Grouped(replay.PastTokens))
	if other := r.Strategies[0].Other; other != nil {
		s += fmt.Sprintf(" They are the %s half; the other half has %s.", r.Half,
			terminal.Plural(other.Conversations, "conversation"))
	}
	first := r.Profiles[0]
	s += fmt.Sprintf(" Tokens and cost are savings relative to the same requests without "+
		"compaction (below zero: an increase). Tables without a column of prices are at %s: a "+
		"cached token costs %v of a fresh one, a written one %v.", terminal.Printable(first.Name),
		first.Cached, first.Write)
	if r.planned && len(r.Profiles) > 1 {
		s += " The planner knows the prices of each profile."
	}
	return s
}

// columns are the columns of figures after a name, each with two lines of heading.
var columns = []struct {
	head  [2]string
	width int
	text  func(*replay.Figures) string
}{
	{[2]string{"tokens", "saved"}, 7,
		func(f *replay.Figures) string { return saved(f.Tokens.All.Share()) }},
	{[2]string{"cost", "saved"}, 8,
		func(f *replay.Figures) string { return saved(f.Bills[0].PlainShare()) }},
	{[2]string{"with", "re-reads"}, 9,
		func(f *replay.Figures) string { return saved(f.Bills[0].Share()) }},
	{[2]string{"turns", "re-read"}, 8,
		func(f *replay.Figures) string { return tenths(f.Rereads.Past.All.Lost()) }},
	{[2]string{"old", "recall"}, 7,
		func(f *replay.Figures) string { return tenths(f.Recall.Old.Share()) }},
	{[2]string{"prefix", "changes"}, 8,
		func(f *replay.Figures) string { return terminal.Grouped(f.Changes.Turns) }},
}

// drawRows draws a line for each strategy.
func (r *Report) drawRows(b *strings.Builder, l terminal.Look) {
	name := 0
	for _, row := range r.Strategies {
		name = max(name, len(row.Name)+2)
	}
	name = min(name, 48)
	heading(b, l, name, [2]string{}, r.sweep && r.Strategies[0].Other != nil)
	for i, row := range r.Strategies {
		if i == r.settings && i > 1 {
			b.WriteString("\n")
		}
		mark := ""
		if r.sweep {
			mark = "  "
			if row.Frontier {
				mark = "* "
			}
		}
		line := fmt.Sprintf("  %-*s", name, mark+cut(row.Name, name-len(mark)))
		line += figuresOf(row.Total)
		if row.Other != nil {
			line += fmt.Sprintf("   |%8s%8s%8s", saved(row.Other.Bills[0].Share()),
				tenths(row.Other.Rereads.Past.All.Lost()), tenths(row.Other.Recall.Old.Share()))
		}
		if row.Frontier && r.sweep || !r.sweep && i < r.settings {
			line = l.Strong(line)
		}
		b.WriteString(line + "\n")
		if faults := row.Total.Validity.Faults(); faults > 0 && i < r.settings {
			b.WriteString("    " + l.Mark(false, terminal.Plural(faults, "fault")+
				" in what was forwarded: "+faultsOf(row.Total.Validity)) + "\n")
		}
	}
	if r.sweep {
		b.WriteString("\n" + l.Wrap("* on the frontier: no other row saves more, re-reads "+
			"included, and keeps more old references.", 2) + "\n")
	}
}

// heading draws the two lines above a table and the rule under them.
func heading(b *strings.Builder, l terminal.Look, name int, first [2]string, halves bool) {
	for line := range 2 {
		text := fmt.Sprintf("  %-*s", name, first[line])
		for _, c := range columns {
			text += fmt.Sprintf("%*s", c.width, c.head[line])
		}
		if halves {
			text += []string{"   | the other half",
				fmt.Sprintf("   |%8s%8s%8s", "saved", "re-read", "recall")}[line]
		}
		b.WriteString(l.Dim(strings.TrimRight(text, " ")) + "\n")
	}
	width := name
	for _, c := range columns {
		width += c.width
	}
	b.WriteString("  " + l.Dim(strings.Repeat(l.Glyphs.Rule, width)) + "\n")
}

func figuresOf(f *replay.Figures) (line string) {
	for _, c := range columns {
		line += fmt.Sprintf("%*s", c.width, c.text(f))
	}
	return line
}

// drawDetails draws the remaining figures of a strategy.
func (r *Report) drawDetails(b *strings.Builder, l terminal.Look, row Row) {
	f := row.Total
	b.WriteString("\n  " + l.Strong(row.Name) + "\n")
	fact := func(name, text string) {
		const indent = 18
		fmt.Fprintf(b, "  %-15s %s\n", name, strings.TrimSpace(l.Wrap(text, indent)))
	}
	fact("tokens saved", fmt.Sprintf("%s; %s past the trigger, %s past 32k",
		saved(f.Tokens.All.Share()), savedOf(f.Tokens.PastTrigger), savedOf(f.Tokens.Past32k)))
	if own := f.ModelUsage; own.Calls > 0 {
		fact("own calls", fmt.Sprintf("%s to models, %s tokens of them %s cached, %s written: "+
			"%s of the raw cost, already subtracted from the savings above. A scripted model "+
			"replaces yours: it reads what yours would read, but writes other text",
			terminal.Plural(own.Calls, "call"), terminal.Grouped(own.Prompt),
			terminal.Grouped(own.Cached), terminal.Grouped(own.Completion),
			tenths(f.Bills[0].ModelCalls/f.Bills[0].Raw.Total())))
	}
	if row.Bill != nil {
		fact(
			"input bill",
			fmt.Sprintf("$%.2f without compaction, $%.2f with it, with re-reads $%.2f",
				row.Bill.Raw, row.Bill.Sent, row.Bill.With),
		)
	}
	factsOfRereads(f.Rereads, fact)
	fact("references", fmt.Sprintf("%s of %s kept, of the %s old ones %s",
		tenths(f.Recall.All.Share()), terminal.Grouped(f.Recall.All.Of),
		terminal.Grouped(f.Recall.Old.Of), tenths(f.Recall.Old.Share())))
	fact("", fmt.Sprintf("unescaped, %s of %s old ones are beside their file, their call or in a "+
		"line of the history", tenths(f.Recall.Located.Share()),
		terminal.Grouped(f.Recall.Located.Of)))
	fact("user's words", fmt.Sprintf("%s of the newest twenty messages of the user (up to about "+
		"400 tokens each) kept verbatim", tenths(f.Words.Share())))
	fact("prefix changes", fmt.Sprintf("%s in %s; %s tokens written again",
		terminal.Grouped(f.Changes.Turns), terminal.Plural(f.Turns, "turn"),
		terminal.Grouped(f.Changes.Rewritten)))
	fact("actions", listed(f.Actions))
	fact("made", listed(f.Made))
	if f.Refetches > 0 {
		fact("fetched again", fmt.Sprintf("%s, counting repeated calls",
			terminal.Plural(f.Refetches, "hidden output")))
	}
	if len(f.FailOpens) > 0 {
		fact("fail-opens", l.Mark(false, listed(f.FailOpens)))
	}
	fact("validity", l.Mark(f.Validity.Faults() == 0, faultsOf(f.Validity)))
	fact("a turn takes", fmt.Sprintf("%.1f ms in the median, %.1f ms in 99 of 100",
		f.Milliseconds(0.5), f.Milliseconds(0.99)))
}

// factsOfRereads calls fact with the lines about re-reads, of which only the first has a name.
func factsOfRereads(q replay.Rereads, fact func(name, text string)) {
	fact("re-reads", fmt.Sprintf("%s of %s past 32k; edits %s of %s, other quotes %s of %s",
		terminal.Grouped(q.Past.All.Of-q.Past.All.Kept),
		terminal.Plural(q.Past.All.Of, "quoting turn"),
		tenths(q.Past.Edits.Lost()), terminal.Grouped(q.Past.Edits.Of),
		tenths(q.Past.Others.Lost()), terminal.Grouped(q.Past.Others.Of)))
	all := q.All()
	fact("", fmt.Sprintf("of all turns: edits %s of %s, other quotes %s of %s",
		tenths(all.Edits.Lost()), terminal.Grouped(all.Edits.Of), tenths(all.Others.Lost()),
		terminal.Grouped(all.Others.Of)))
	fact("", fmt.Sprintf("below 32k: %s of %s; past 32k, with lines that are only a path: %s of %s",
		terminal.Grouped(q.Below.All.Of-q.Below.All.Kept), terminal.Grouped(q.Below.All.Of),
		tenths(q.Past.WithNames.Lost()), terminal.Grouped(q.Past.WithNames.Of)))
}

// drawConversations draws a line for each conversation.
func (r *Report) drawConversations(b *strings.Builder, l terminal.Look) {
	const name = 28
	b.WriteString("\n")
	heading(b, l, name, [2]string{"", "conversation"}, false)
	for i, c := range r.Conversations {
		fmt.Fprintf(b, "  %-*s%s\n", name, cut(terminal.Printable(c.ID), name-1),
			figuresOf(r.Strategies[0].Conversations[i]))
	}
}
