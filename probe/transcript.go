package probe

import (
	"sort"
	"strings"

	"killick/chat"
)

// transcript is what the extractors look at: the prose of both sides as one document, and the tool calls with their
// results.
type transcript struct {
	prose  *document
	voices []voice
	calls  []call
	length int // messages
}

// voice is one message's part of the prose.
type voice struct {
	start, end int // bytes in the prose
	at         int // message index
	user       bool
}

// call is a tool call and what came of it.
type call struct {
	at      int
	name    string // lower case
	args    chat.Value
	reads   bool   // it only looks
	done    bool   // it has a result
	failed  bool   // which looks like an error
	refused bool   // for the call was not carried out
	fault   string // whose line this is
}

// maxArguments bounds what is read of a call's arguments: paths come first in practice, and a file's whole text behind
// them is not looked at twice.
const maxArguments = 1 << 20

// readTranscript collects the prose and calls of msgs in one pass.
func readTranscript(msgs []chat.Message) *transcript {
	t := &transcript{length: len(msgs)}
	var prose strings.Builder
	waiting := map[string]int{} // open call by id
	for i := range msgs {
		m := &msgs[i]
		switch m.Role() {
		case chat.User:
			t.say(&prose, spoken(m.Text()), i, true)
		case chat.Assistant:
			t.say(&prose, m.Text(), i, false)
			for _, c := range m.ToolCalls() {
				waiting[callKey(c.ID, c.Name)] = len(t.calls)
				made := call{at: i, name: strings.ToLower(c.Name), args: arguments(c.Arguments)}
				made.reads = looks(made.name, made.args)
				t.calls = append(t.calls, made)
			}
		case chat.Tool, chat.Function:
			key := callKey(m.ToolCallID(), m.Name())
			if n, ok := waiting[key]; ok {
				delete(waiting, key)
				c := &t.calls[n]
				c.done = true
				result := m.Text()
				c.fault, c.failed = failure(result, c.reads)
				c.refused = c.failed && c.fault == "" && refused(fold(clip(strings.TrimSpace(result), 300)))
			}
		}
	}
	t.prose = compile(prose.String(), true)
	return t
}

func callKey(id, name string) string {
	if id != "" {
		return "#" + id
	}
	return name
}

// arguments returns the object that a call's argument string holds, nil if it holds none.
func arguments(raw chat.Value) chat.Value {
	if raw.Kind() == chat.Object {
		return raw
	}
	if len(raw) > maxArguments {
		return nil
	}
	return chat.Value(strings.TrimSpace(raw.Text()))
}

func (t *transcript) say(prose *strings.Builder, text string, at int, user bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	start := prose.Len()
	prose.WriteString(withoutFences(text))
	t.voices = append(t.voices, voice{start: start, end: prose.Len(), at: at, user: user})
	prose.WriteString("\n\n# \n") // ends every section and sentence
}

// voiceOf returns the voice that says sentence s.
func (t *transcript) voiceOf(s int) voice {
	start := int(t.prose.tokens[t.prose.sentences[s].from].start)
	return t.voices[sort.Search(len(t.voices), func(i int) bool { return t.voices[i].end > start })]
}

// sentencesOf returns the range of sentences of voice v.
func (t *transcript) sentencesOf(v voice) (from, to int) {
	at := func(limit int) int {
		return sort.Search(len(t.prose.sentences), func(s int) bool {
			return int(t.prose.tokens[t.prose.sentences[s].from].start) >= limit
		})
	}
	return at(v.start), at(v.end)
}

// maxFact bounds, in bytes, the sentence that a question expects; maxSource the line kept for its repair.
const (
	maxFact   = 300
	maxSource = 480
)

// quote returns the words of sentence s without the marks of a list or heading, cut to limit bytes at a word's edge.
func (t *transcript) quote(s, limit int) string {
	sen := t.prose.sentences[s]
	text := strings.Trim(t.prose.source[sen.start:sen.end], " \t\r\n-*#>•")
	if i := strings.IndexAny(text, ".)"); i > 0 && i < 4 && i+1 < len(text) && text[i+1] == ' ' && strings.Trim(text[:i], "0123456789") == "" {
		text = strings.TrimSpace(text[i+1:]) // "2. "
	}
	return cutWords(text, limit)
}

// cutWords shortens s to limit bytes at a blank where it can.
func cutWords(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = clip(s, limit)
	if i := strings.LastIndexByte(s, ' '); i > limit/2 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// content counts the words of weight in sentence s.
func (t *transcript) content(s int) (n int) {
	sen := t.prose.sentences[s]
	for i := sen.from; i < sen.to; i++ {
		if tok := &t.prose.tokens[i]; !tok.stop && !tok.aux {
			n++
			if tok.class == gram && n > 1 && i+1 < sen.to { // two letters a word
				i++
			}
		}
	}
	return n
}

// asks reports whether sentence s is a question.
func (t *transcript) asks(s int) bool {
	sen := t.prose.sentences[s]
	text := strings.TrimRight(t.prose.source[sen.start:sen.end], " \t\r\n*_)\"'`")
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}
