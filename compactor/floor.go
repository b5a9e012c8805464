package compactor

import (
	"regexp"
	"slices"
	"strings"
)

// Prose is what a model says of a span of turns: the sections of a summary that
// need judgement. Files, values, rules and requests are not in it: those come
// from the transcript.
type Prose struct {
	Intent    string
	State     string
	Decisions []Choice
	Completed []string
	Failed    []string
	Open      []string
	Next      []string
}

// Choice is a decision as a model tells it.
type Choice struct {
	Text       string
	Reason     string // "" if none was given
	Supersedes string // the older decision that it takes the place of, "" if none
}

// Refused counts the sentences and entries of a model's prose, and its questions,
// that were not taken, by why.
type Refused struct {
	Invented      int `json:"invented,omitempty"`      // they name what stands nowhere in the turns
	Contradicting int `json:"contradicting,omitempty"` // the turns say otherwise
	Commanding    int `json:"commanding,omitempty"`    // they read as orders to change rules or form
	Groundless    int `json:"groundless,omitempty"`    // questions whose expected answer stands nowhere in the turns
}

func (r *Refused) add(more Refused) {
	r.Invented += more.Invented
	r.Contradicting += more.Contradicting
	r.Commanding += more.Commanding
	r.Groundless += more.Groundless
}

// floor is what a model's prose is held against: the turns that it speaks of. An
// entry that names something which stands nowhere in them leaves whole. To cut
// the name out alone would leave a sentence about something else.
type floor struct {
	source      *source
	contradicts func(entry string) bool // if nil, nothing is known to
	redact      redaction
	refused     Refused
}

// maxTold bounds what a model adds to the session intent, in bytes.
const maxTold = 600

// judge returns what is taken of the prose. Files, values, rules and requests are
// not its business, nor are errors: they end when their call succeeds and not when
// a model says so.
func (f *floor) judge(p Prose) *Account {
	a := &Account{
		Intent: f.passage(p.Intent, maxTold), State: f.passage(p.State, maxEntry),
		Completed: f.entries(p.Completed), Failed: f.entries(p.Failed), Open: f.entries(p.Open), Next: f.entries(p.Next),
	}
	for _, c := range p.Decisions[:min(len(p.Decisions), maxEntries)] {
		text := f.entry(c.Text)
		if text == "" {
			continue
		}
		if reason := f.entry(c.Reason); reason != "" && !covered(reason, []string{text}) {
			text = cut(text+" (because: "+reason+")", maxEntry)
		}
		if slices.ContainsFunc(a.Decisions, func(d Decision) bool { return d.Text == text }) {
			continue
		}
		if old := oneLine(c.Supersedes, maxEntry); old != "" {
			a.Supersedes = append(a.Supersedes, Supersession{By: text, Old: old})
		}
		a.Decisions = append(a.Decisions, Decision{Text: text})
	}
	return a
}

// entries judges each of a list.
func (f *floor) entries(told []string) (taken []string) {
	for _, text := range told[:min(len(told), maxEntries)] {
		if text = f.entry(text); text != "" && !slices.Contains(taken, text) {
			taken = append(taken, text)
		}
	}
	return taken
}

// entry returns a told text as an entry of one line, "" if it is not taken.
func (f *floor) entry(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = f.redact.of(text)
	text = trimMarks(oneLine(text, maxEntry))
	if saysNothing(text) || !f.sound(text) {
		return ""
	}
	return text
}

// passage judges a text sentence by sentence and returns those taken, at most n
// bytes of them.
func (f *floor) passage(text string, n int) string {
	var taken []string
	size := 0
	sentences(text[:min(len(text), 4*n)], func(s string) bool {
		if s = f.entry(s); s == "" {
			return true
		}
		if size += len(s) + 1; size > n+1 && len(taken) > 0 {
			return false
		}
		taken = append(taken, s)
		return size <= n
	})
	return cut(strings.Join(taken, " "), n)
}

// sound judges a sentence and counts why it is refused.
func (f *floor) sound(text string) bool {
	switch {
	case commanding.MatchString(text):
		f.refused.Commanding++
	case f.source.lacks(text):
		f.refused.Invented++
	case f.contradicts != nil && !f.source.quotes(text) && f.contradicts(text):
		f.refused.Contradicting++
	default:
		return true
	}
	return false
}

// commanding matches what has no place in an account of the past: orders about
// rules, roles, the form of the record or permissions, wherever a model took them
// from. A rule that the user really lifted stands among the requests, in the
// user's own words.
var commanding = regexp.MustCompile(`(?i)` +
	`\b(?:ignor|disregard|forget|overrid|overrul|bypass|drop|remov|delet|eras|omit|stop following|not follow|n't follow|lift|cancel|revok)(?:e|s|es|ed|d|t?ed|p?ed|t?ing|p?ing|ing|den)?\b` +
	`[^.!?]{0,60}\b(?:instructions?|rules?|guidelines?|prohibitions?|constraints?|restrictions?|system prompt|pinned[ _]rules?)\b` +
	`|\b(?:rules?|instructions?|prohibitions?|restrictions?|constraints?)\b[^.!?]{0,60}\b(?:no longer|not any ?more|lifted|dropped|removed|void|cancell?ed|obsolete|revoked|suspended|replaced|overridden)\b` +
	`|\bnew (?:system )?(?:prompt|instructions?|rules?)\b|\byou (?:are|must) now\b|\bfrom now on\b|\bact as\b` +
	`|\b(?:change|replace|rename|extend|drop)\b[^.!?]{0,30}\b(?:schema|response format|output format|json format|sections?)\b` +
	`|\bpinned_rules\b|\bsession_intent\b|\bresponse_format\b|\bjailbreak` +
	`|\b(?:permission|authori[sz]ation|approval)\b[^.!?]{0,30}\b(?:granted|given)\b|\b(?:is|are) now (?:allowed|permitted)\b` +
	`|</?(?:opening|task|earlier_request|latest_request|client_note|system|instructions?)\b|\[Record of earlier turns`)

// nothings are the ways to fill a field that has nothing to tell.
var nothings = map[string]bool{
	"none": true, "n/a": true, "na": true, "nil": true, "null": true, "nothing": true, "unknown": true, "not applicable": true,
	"tbd": true, "not specified": true, "no open questions": true, "none so far": true, "none yet": true, "nothing yet": true, "empty": true,
}

func saysNothing(text string) bool {
	return len(text) < 3 || nothings[strings.ToLower(strings.Trim(text, " .-–—()[]"))]
}

// coveredShare is the share of an entry's words that another must hold to tell
// the same.
const coveredShare = 0.7

// covered tells whether one of the texts tells what entry does.
func covered(entry string, by []string) bool {
	words := contentWords(entry)
	if len(words) == 0 {
		return true
	}
	for _, text := range by {
		have := map[string]bool{}
		for _, w := range contentWords(text) {
			have[w] = true
		}
		shared := 0
		for _, w := range words {
			if have[w] {
				shared++
			}
		}
		if float64(shared) >= coveredShare*float64(len(words)) {
			return true
		}
	}
	return false
}

// contentWords are the words of a text of four letters and more, and all with a
// digit, in lower case.
func contentWords(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 128 && !plainByte[byte(r)] })
	return without(words, func(w string) bool { return len(w) < 4 && !strings.ContainsAny(w, "0123456789") })
}
