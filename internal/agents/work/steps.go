package work

import "fmt"

// Step is what the scripted model does in one turn: one thing, in no agent's words.
type Step struct {
	N      int
	Kind   string // KindRead, KindEdit, KindShell or KindSearch
	File   string // read or edited, relative to the project
	Before string // what an edit replaces
	After  string // what it puts there
	Text   string // the command of a shell, what is searched for
	// Want stands in the result. Empty: nothing is expected.
	Want string
	// fails is set if the command ends with an exit code other than 0.
	fails bool
}

// The kinds of steps.
const (
	KindRead   = "read"
	KindEdit   = "edit"
	KindShell  = "shell"
	KindSearch = "search"
)

// Cycle is how many steps there are before the next file's turn.
const Cycle = 8

// StepsAt returns what is done in turn n, counted from 1: one step, or two at once, in one command
// where the agent makes no parallel calls.
func StepsAt(n int, parallel bool) []Step {
	round := (n - 1) / Cycle
	file := sourceName(round)
	edits := round / projectFiles // how often this file was edited in earlier rounds
	subject := subjects[round%projectFiles]
	switch (n - 1) % Cycle {
	case 0:
		return []Step{read(n, round)}
	case 1:
		return []Step{{N: n, Kind: KindSearch, Text: "rule " + fmt.Sprint((round*11)%97) + " of",
			Want: "rule"}}
	case 2:
		return []Step{{N: n, Kind: KindEdit, File: file, Before: revision(file, edits),
			After: revision(file, edits+1)}}
	case 3:
		fails := (edits+1)%2 == 0
		verdict := "PASS " + file
		if fails {
			verdict = "FAIL " + file
		}
		return []Step{{N: n, Kind: KindShell, Text: "sh check.sh " + file, Want: verdict,
			fails: fails}}
	case 4:
		return []Step{read(n, round+9)}
	case 5:
		other := sourceName(round + 9)
		return []Step{{N: n, Kind: KindShell, Text: "sh check.sh " + other, Want: other + ": ",
			fails: (round+9)/projectFiles%2 == 0}}
	case 6:
		return []Step{{N: n, Kind: KindShell,
			Text: fmt.Sprintf("grep -n '%s' src/*.go | head -30; echo turn %d done", subject, n),
			Want: fmt.Sprintf("turn %d done", n)}}
	}
	first, second := read(n, round+5), Step{N: n, Kind: KindShell,
		Text: fmt.Sprintf("wc -c src/*.go && echo turn %d done", n),
		Want: fmt.Sprintf("turn %d done", n)}
	if !parallel {
		second.Text = AsShell(first) + "; " + second.Text
		return []Step{second}
	}
	return []Step{first, second}
}

func read(n, k int) Step {
	return Step{N: n, Kind: KindRead, File: sourceName(k),
		Want: "the " + subjects[k%projectFiles] + " part."}
}

// AsShell returns the command that does a step where there is no tool for it.
func AsShell(s Step) string {
	switch s.Kind {
	case KindRead:
		return "cat " + s.File
	case KindSearch:
		return fmt.Sprintf("grep -rn '%s' src", s.Text)
	case KindEdit:
		return fmt.Sprintf("sed -i 's|^%s$|%s|' %s", s.Before, s.After, s.File)
	}
	return s.Text
}
