package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Markdown returns the report as a page for people.
func (r *Report) Markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Summary of messages %d to %d\n\n", r.Messages.First, r.Messages.Last)
	fmt.Fprintf(
		&b,
		"- Compressions: %d, the last at %s\n",
		r.Compressions,
		r.LastCompressed.Format(time.RFC3339),
	)
	fmt.Fprintf(&b, "- Tokens of the request then: %d before, %d after; the records take %d\n",
		r.Tokens.Before, r.Tokens.After, r.Tokens.Records)
	fmt.Fprintf(&b, "- Names listed: %d\n", r.NamesListed)
	b.WriteString(r.Probe.markdown())
	if p := r.Provider; p != nil {
		fmt.Fprintf(&b, "- A summary of the provider's own stands first: %d tokens, not verified\n",
			p.Tokens)
	}
	if len(r.Kept) > 0 {
		b.WriteString("- Replaced messages that are sent all the same: " + r.keptText() + "\n")
	}
	b.WriteString(
		"\n## Completeness\n\n| Section | Items | Shown | Complete |\n|---|---:|---:|---|\n",
	)
	for _, c := range r.Sections {
		complete := map[bool]string{true: "yes", false: "no"}[c.Complete]
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", c.Title, c.Items, c.Shown, complete)
	}
	b.WriteString("\n## No longer sent as it came\n\n| Kind | Count | Tokens |\n|---|---:|---:|\n")
	for _, d := range r.Dropped {
		tokens := ""
		if d.Tokens > 0 {
			tokens = strconv.Itoa(d.Tokens)
		}
		fmt.Fprintf(&b, "| %s | %d | %s |\n", d.Kind, d.Count, tokens)
	}
	fence := fenceFor(r.Record)
	b.WriteString("\n## What the model is shown\n\n" + fence + "text\n" +
		strings.TrimRight(r.Record, "\n") + "\n" + fence + "\n")
	return []byte(b.String())
}

// markdown returns the lines about what was verified.
func (p *Probe) markdown() string {
	if p == nil {
		return "- Coverage: not measured\n"
	}
	c := p.Coverage
	text := fmt.Sprintf("- Coverage before repair: %d of %d things that the newest fold replaces; "+
		"%d lines were added\n", c.Held, c.Of, c.Repaired)
	if m := p.Model; m != nil {
		text += fmt.Sprintf("- A model's part: %s, %d of %d statements verified",
			m.Verdict, m.Verified, m.Written)
		if m.Asked > 0 {
			text += fmt.Sprintf(", score %.2f of %d questions", m.Score, m.Asked)
		}
		text += "\n"
	}
	return text
}

// keptText lists the kept messages.
func (r *Report) keptText() string {
	list := make([]string, len(r.Kept))
	for i, k := range r.Kept {
		list[i] = strconv.Itoa(k.At) + " (" + k.Class
		if k.Cut {
			list[i] += ", cut"
		}
		list[i] += ")"
	}
	return strings.Join(list, ", ")
}

// fenceFor returns a fence of a Markdown code block that nothing in text can close.
func fenceFor(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}
