package fakeupstream

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"killick/view"
)

// fact is one statement of a transcript.
type fact struct {
	kind   factKind
	text   string
	quote  string // the words of the transcript that it is
	number int    // of the message; 0 where messages have none
}

type factKind int

const (
	taskFact factKind = iota // what the user wants; the first one is the task
	// what the user forbids or insists on, and values that the user gives
	ruleFact
	decisionFact // what was chosen
	doneFact     // what was done
	failedFact   // what did not work
	openFact     // what nothing resolved
	nextFact     // what comes next
	stateFact    // where things stand
	valueFact    // a value
)

var (
	insists = regexp.MustCompile(`(?i)\b(never|always|must|don't|do not|only|under no ` +
		`circumstances|make sure|avoid)\b`)
	decides = regexp.MustCompile(`(?i)\b(decided|going with|go with|chose|choose|opted|settled ` +
		`on|instead of|rather than|we'll use|we will use|i'll use|i will use|let's ` +
		`use|switch(ed|ing)? to)\b`)
	finishes = regexp.MustCompile(`(?i)\b(done|fixed|added|created|updated|implemented|completed|` +
		`works now|pass(es|ed)?|wrote|removed|renamed|deployed|merged|configured|set up|` +
		`refactored)\b`)
	fails = regexp.MustCompile(`(?i)\b(failed|fails|didn't work|did not work|doesn't ` +
		`work|does not work|broke|can't|cannot)\b`)
	plans = regexp.MustCompile(`(?i)\b(next|remaining|still need|still have to|todo|then ` +
		`i'll|now i'll|now let me|let me)\b`)
	errs   = regexp.MustCompile(`(?i)\b(error|failed|failure|panic|exception|fatal|traceback)\b`)
	writes = regexp.MustCompile(`(?i)(write|edit|create|patch|replace|update|insert|delete|` +
		`remove|save)`)
	paths = regexp.MustCompile(`"(?:path|file_path|filename|file|filepath|notebook_path|` +
		`target_file)"\s*:\s*"([^"\\]{1,200})"`)
	values = regexp.MustCompile(`[A-Za-z0-9_./:@-]*[0-9_/][A-Za-z0-9_./:@-]*`)
)

// longestFact is the most bytes of a fact.
const longestFact = 450

// facts takes from a transcript what a diligent reader would, in its order. It
// shares no rule with what tests summaries.
func facts(turns []entry) []fact {
	var all []fact
	seen := map[string]bool{}
	number := 0
	add := func(f fact) {
		f.text = strings.Join(strings.Fields(f.text), " ")
		if f.number = number; f.quote == "" {
			f.quote = f.text
		}
		if f.text == "" || len(f.text) > longestFact || seen[f.text] {
			return
		}
		seen[f.text] = true
		all = append(all, f)
	}
	var lastAssistant, lastError string
	var assistantAt, errorAt int
	for _, s := range turns {
		number = s.number
		switch s.role {
		case string(view.User):
			if madeByClient(s.text) {
				continue
			}
			userFacts(s.text, add)
		case string(view.Assistant):
			if s.text != "" {
				lastAssistant, assistantAt = s.text, s.number
			}
			assistantFacts(s, add)
		case string(view.Tool), string(view.Function):
			lastError, errorAt = errorLine(s.text), s.number
		}
	}
	if number = errorAt; lastError != "" {
		add(fact{kind: openFact, text: lastError})
	}
	if last := lastSentence(lastAssistant); last != "" {
		all = append(all, fact{kind: stateFact, text: last, quote: last, number: assistantAt})
	}
	return all
}

// madeByClient reports whether a user message was written by a client, not by a
// person.
func madeByClient(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || strings.HasPrefix(text, "<") || strings.HasPrefix(text, "[")
}

func userFacts(text string, add func(fact)) {
	first := true
	for s := range sentences(text) {
		switch {
		case insists.MatchString(s), values.MatchString(s):
			if first {
				add(fact{kind: taskFact, text: s})
			} else {
				add(fact{kind: ruleFact, text: s})
			}
		case first:
			add(fact{kind: taskFact, text: s})
		}
		first = false
	}
}

func assistantFacts(s entry, add func(fact)) {
	for line := range sentences(s.text) {
		switch {
		case decides.MatchString(line):
			add(fact{kind: decisionFact, text: line})
		case fails.MatchString(line):
			add(fact{kind: failedFact, text: line})
		case finishes.MatchString(line):
			add(fact{kind: doneFact, text: line})
		case plans.MatchString(line):
			add(fact{kind: nextFact, text: line})
		case values.MatchString(line):
			add(fact{kind: valueFact, text: line})
		}
	}
	for _, c := range s.calls {
		if !writes.MatchString(c.name) {
			continue
		}
		if m := paths.FindStringSubmatch(c.arguments); m != nil {
			add(fact{kind: doneFact, text: written + m[1], quote: m[0]})
		}
	}
}

// errorLine returns the last line of an output that reports an error.
func errorLine(text string) string {
	lines := strings.Split(text, "\n")
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); errs.MatchString(line) && len(line) <= longestFact {
			return line
		}
	}
	return ""
}

// sentences yields the sentences of a text, code blocks left out.
func sentences(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		fenced := false
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
				continue
			}
			if fenced {
				continue
			}
			line = strings.TrimLeft(line, "#>*-•0123456789. \t")
			for line != "" {
				end := sentenceEnd(line)
				if s := strings.TrimSpace(line[:end]); len(s) >= 8 && !yield(s) {
					return
				}
				line = strings.TrimSpace(line[end:])
			}
		}
	}
}

func sentenceEnd(line string) int {
	for i := 3; i+1 < len(line); i++ {
		if (line[i] == '.' || line[i] == '!' || line[i] == '?') && line[i+1] == ' ' {
			return i + 1
		}
		for _, stop := range [...]string{"。", "！", "？"} {
			if strings.HasPrefix(line[i:], stop) {
				return i + len(stop)
			}
		}
	}
	return len(line)
}

func lastSentence(text string) (last string) {
	for s := range sentences(text) {
		if len(s) <= longestFact {
			last = s
		}
	}
	return last
}

// words are the words of a text in lower case, with what holds paths and numbers
// together.
func words(text string) (all []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("./_-@'", r)
	}) {
		if w = strings.Trim(w, "./-'"); w != "" {
			all = append(all, w)
		}
	}
	return all
}

// entry is one message of a transcript.
type entry struct {
	number int // 0 where messages have none
	role   string
	text   string
	calls  []saidCall
}

// saidCall is a tool call in a transcript.
type saidCall struct{ name, arguments string }

const written = "Wrote "
