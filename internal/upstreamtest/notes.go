package upstreamtest

import (
	"strings"

	"killick/chat"
)

// notes are a summary in the sections that are asked for.
type notes struct {
	Intent    string    `json:"session_intent"`
	Decisions []decided `json:"decisions_made"`
	Completed []string  `json:"completed"`
	Failed    []string  `json:"failed_attempts"`
	State     string    `json:"current_state"`
	Open      []string  `json:"open_questions"`
	Next      []string  `json:"next_steps"`
}

type decided struct {
	Decision   string `json:"decision"`
	Reason     string `json:"reason"`
	Supersedes string `json:"supersedes"`
}

const (
	noTask        = "These turns do not say what the task is."
	longestIntent = 1900
	mostNotes     = 50
)

// notesOf sorts facts into sections.
func notesOf(all []fact) notes {
	n := notes{Decisions: []decided{}, Completed: []string{}, Failed: []string{}, Open: []string{}, Next: []string{}}
	for _, f := range all {
		switch f.kind {
		case taskFact, ruleFact:
			if len(n.Intent)+len(f.text) < longestIntent {
				n.Intent = strings.TrimSpace(n.Intent + " " + stopped(f.text))
			}
		case decisionFact:
			n.Decisions = append(n.Decisions, decided{f.text, f.reason, f.supersedes})
		case doneFact:
			n.Completed = append(n.Completed, f.text)
		case failedFact:
			n.Failed = append(n.Failed, f.text)
		case openFact:
			n.Open = append(n.Open, f.text)
		case nextFact:
			n.Next = append(n.Next, f.text)
		case stateFact:
			n.State = f.text
		}
	}
	if n.Intent == "" {
		n.Intent = noTask
	}
	if n.State == "" {
		n.State = "These turns do not say where things stand."
	}
	n.Decisions = newest(n.Decisions)
	n.Completed, n.Failed, n.Open, n.Next = newest(n.Completed), newest(n.Failed), newest(n.Open), newest(n.Next)
	return n
}

// goingOn takes over from notes of earlier turns what is told as it is at the end.
func (n notes) goingOn(before string) notes {
	earlier := chat.Value(strings.TrimSpace(before))
	switch intent := earlier.Get("session_intent").Text(); {
	case n.Intent == noTask && intent != "":
		n.Intent = intent
	case len(intent)+len(n.Intent) < longestIntent:
		n.Intent = strings.TrimSpace(intent + " " + n.Intent)
	}
	open := []string{}
	for entry := range earlier.Get("open_questions").Elements() {
		open = append(open, entry.Text())
	}
	n.Open = newest(append(open, n.Open...))
	return n
}

func newest[T any](list []T) []T { return list[max(0, len(list)-mostNotes):] }

// stopped ends a text as a sentence.
func stopped(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// headed writes the notes as text under headings.
func (n notes) headed() string {
	var b strings.Builder
	list := func(name string, entries []string) {
		b.WriteString("## " + name + "\n")
		for _, e := range entries {
			b.WriteString("- " + e + "\n")
		}
		b.WriteString("\n")
	}
	b.WriteString("## session_intent\n" + n.Intent + "\n\n## decisions_made\n")
	for _, d := range n.Decisions {
		b.WriteString("- " + d.Decision)
		if d.Reason != "" {
			b.WriteString(" | reason: " + d.Reason)
		}
		if d.Supersedes != "" {
			b.WriteString(" | supersedes: " + d.Supersedes)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	list("completed", n.Completed)
	list("failed_attempts", n.Failed)
	b.WriteString("## current_state\n" + n.State + "\n\n")
	list("open_questions", n.Open)
	list("next_steps", n.Next)
	return b.String()
}
