package replay

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"killick/rawjson"
	"killick/replay/search"
	"killick/transcript"
	"killick/view"
)

// minQuote is the least length of a quote in characters.
const minQuote = search.MinLine

// quote is a line that a call may quote from earlier messages.
type quote struct {
	line string // without surrounding white space
	edit bool   // an edit replaces the line, so it must quote it exactly
	name bool   // the line is only a path or URL, not text that must be read again
}

// quotesOf returns the lines of at least minQuote characters in the string arguments of m's
// calls, as they are written in files.
func quotesOf(m *view.Message) (quotes []quote) {
	seen := map[string]int{}
	for _, made := range m.ToolCalls() {
		call := transcript.NewCall(made, 0)
		call.EachLine(func(line string, edit bool) {
			line = strings.TrimSpace(line)
			if utf8.RuneCountInString(line) < minQuote {
				return
			}
			if i, ok := seen[line]; ok {
				quotes[i].edit = quotes[i].edit || edit
				return
			}
			seen[line] = len(quotes)
			quotes = append(quotes, quote{line, edit, search.IsName(line)})
		})
	}
	return quotes
}

// eachArgument yields the strings in a call's arguments, decoded, each with the name of its
// innermost member. Arguments that are not JSON are one string without a name.
func eachArgument(arguments rawjson.Value, yield func(key, text string)) {
	text := []byte(arguments.Text())
	if arguments.Kind() == rawjson.Object { // some clients send objects
		text = arguments
	}
	value := rawjson.Value(bytes.TrimSpace(text))
	if len(value) == 0 {
		return
	}
	if !json.Valid(value) {
		yield("", string(text))
		return
	}
	eachString("", value, yield)
}

func eachString(key string, v rawjson.Value, yield func(key, text string)) {
	switch v.Kind() {
	case rawjson.String:
		yield(key, v.Text())
	case rawjson.Array:
		for element := range v.Elements() {
			eachString(key, element, yield)
		}
	case rawjson.Object:
		for name, member := range v.Members() {
			eachString(name.Text(), member, yield)
		}
	}
}

// textOf returns all text of m, each piece followed by a line feed: the text of its content and
// the strings in the arguments of its calls.
func textOf(m *view.Message) (text []byte) {
	for part := range m.Parts() {
		if part.Text != nil {
			text = append(part.Text.AppendText(text), '\n')
		}
	}
	if m.HasCalls() {
		for _, call := range m.ToolCalls() {
			eachArgument(call.Arguments, func(_, argument string) {
				text = append(append(text, argument...), '\n')
			})
		}
	}
	return text
}
