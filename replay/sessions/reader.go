package sessions

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"killick/rawjson"
	"killick/replay/aschat"
)

// Conversation is one conversation of a file: a session, or a sub-agent's part of it.
type Conversation struct {
	ID       string
	Model    string          // of the first reply
	Messages []rawjson.Value // in the form of chat
	Longest  []rawjson.Value // of them, those of the longest request, and its reply
	Requests []Request       // with recorded usage; none if the file does not say what they held
	// Lasting is true if the client asked for a cache lifetime of an hour.
	Lasting bool
	Note    string // why it has no requests
}

// Request is a request and what the provider counted.
type Request struct {
	Messages    int      // it held the messages before this index, without Skip
	Skip        [][2]int // ranges of messages
	Model       string
	Sent, Ended time.Time
	Read        int // tokens that were cached
	Written     int // tokens written to the cache
	Fresh       int // input tokens neither cached nor written
	Output      int
	Reply       string // the id of its reply: copies in other files have the same; "" if unknown
}

// Reader reads the lines of one file.
type Reader struct {
	agent   string
	format  format
	lines   map[string]int // by type
	unknown map[string]int // those of them that are not known
}

// format reads the lines of one agent.
type format interface {
	// add reads a line. It reports whether its type is known.
	add(typ string, line rawjson.Value) bool
	conversations() []*Conversation
}

// For returns a reader for a file that begins with a line; nil if no known agent writes such lines.
func For(first rawjson.Value) *Reader {
	r := &Reader{lines: map[string]int{}, unknown: map[string]int{}}
	text := func(name string) bool { return first.Get(name).Kind() == rawjson.String }
	switch {
	case !text("type"), aschat.FormatOf(first) != nil:
		return nil
	case text("timestamp") && first.Get("payload").Kind() == rawjson.Object:
		r.agent, r.format = "Codex", &codex{}
	case text("sessionId"), text("leafUuid"), text("messageId") && first.Get("snapshot") != nil:
		r.agent, r.format = "Claude Code", newClaude()
	default:
		return nil
	}
	return r
}

// Add reads the next line.
func (r *Reader) Add(line rawjson.Value) {
	typ := line.Get("type").Text()
	r.lines[plain(typ)]++
	if r.format.add(typ, line) {
		return
	}
	if item := line.Get("payload").Get("type"); typ == "response_item" && item != nil {
		typ = item.Text()
	}
	r.unknown[plain(typ)]++
}

// ErrNoAnswer says that a file has nothing to replay.
var ErrNoAnswer = errors.New("without an answer of a model")

// Conversations returns the conversations of the lines so far, and the number of lines of each
// unknown type.
func (r *Reader) Conversations() (all []*Conversation, unknown map[string]int, err error) {
	for _, c := range r.format.conversations() {
		if len(c.Messages) > 0 {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("a session file of %s %w; it has lines of these types: %s; "+
			"want the file of a session with turns", r.agent, ErrNoAnswer, listed(r.lines))
	}
	return all, r.unknown, nil
}

func listed(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(parts, ", ")
}

var typeName = regexp.MustCompile(`^[a-z][a-z_-]{0,39}$`)

// plain returns the name of a type as it may be printed.
func plain(typ string) string {
	if !typeName.MatchString(typ) {
		return "without a plain name"
	}
	return typ
}

// timeOf returns the time of a line, the zero Time if it has none.
func timeOf(line rawjson.Value) time.Time {
	t, _ := time.Parse(time.RFC3339, line.Get("timestamp").Text())
	return t
}

// number returns a count of tokens, 0 if there is none, and -1 if it cannot be one.
func number(v rawjson.Value) int {
	if v.Kind() != rawjson.Number {
		return 0
	}
	if n, ok := v.Int(); ok {
		return n
	}
	return -1
}
