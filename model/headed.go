package model

import "strings"

// headed reads prose in sections: a line that is a heading opens one, what stands
// under headings that are not of the schema belongs to none. Nothing is taken for
// a heading but a line with the mark of one or with nothing but a section's name.
func headed(text string) (p Prose) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := heading(line); ok {
			section = name
			continue
		}
		if line == "" {
			continue
		}
		switch section {
		case "sessionintent":
			p.Intent += line + "\n"
		case "currentstate":
			p.State += line + "\n"
		case "decisionsmade":
			p.Decisions = append(p.Decisions, readDecision(entry(line)))
		case "completed":
			p.Completed = append(p.Completed, entry(line))
		case "failedattempts":
			p.Failed = append(p.Failed, entry(line))
		case "openquestions":
			p.Open = append(p.Open, entry(line))
		case "nextsteps":
			p.Next = append(p.Next, entry(line))
		}
	}
	return p
}

// heading returns the letters of a heading's name.
func heading(line string) (name string, ok bool) {
	bare := strings.TrimLeft(line, "#")
	marked := bare != line
	name = letters(strings.TrimLeft(bare, " 0123456789.)"))
	switch name {
	case "sessionintent", "decisionsmade", "completed", "failedattempts", "currentstate", "openquestions", "nextsteps":
		return name, true
	}
	return name, marked && strings.HasPrefix(bare, " ")
}

// entry removes the mark of a list from a line.
func entry(line string) string {
	for _, mark := range []string{"- ", "* ", "• "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	if line == "-" || line == "*" {
		return ""
	}
	return line
}

// readDecision reads "what | reason: why | supersedes: what else".
func readDecision(line string) (d Decision) {
	text, rest, _ := strings.Cut(line, " | ")
	d.Text = text
	for part := range strings.SplitSeq(rest, " | ") {
		key, value, _ := strings.Cut(part, ":")
		switch letters(key) {
		case "reason":
			d.Reason = strings.TrimSpace(value)
		case "supersedes":
			d.Supersedes = strings.TrimSpace(value)
		}
	}
	return d
}
