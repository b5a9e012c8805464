package groundcheck

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	midTurn = regexp.MustCompile(`(?s)^The user sent a new message while you were working:\n(.*?)` +
		`(?:\n\n(?:This is how Claude Code surfaces messages|IMPORTANT:)[^\n]*\n*)?$`)
	relayedForm = regexp.MustCompile(`^(\d+) in a tool's result, as the user's: (.*)$`)
)

// withoutReminders returns a result without the reminders that a client appended, and without space
// around it.
func withoutReminders(text string) string {
	rest, _, ok := lastReminder(text)
	for ok {
		rest, _, ok = lastReminder(rest)
	}
	return rest
}

// lastReminder cuts the reminder at the end of a result. rest has no space around it.
func lastReminder(text string) (rest, body string, ok bool) {
	rest = strings.TrimSpace(text)
	at := strings.LastIndex("\n"+rest, "\n<system-reminder>\n")
	if at < 0 || !strings.HasSuffix(rest, "</system-reminder>") {
		return rest, "", false
	}
	body = strings.TrimSuffix(rest[at+len("<system-reminder>\n"):], "</system-reminder>")
	return strings.TrimSpace(rest[:at]), body, true
}

// relayed returns the words of persons behind a tool's result, the last first.
func (m *message) relayed() (words []string) {
	if m.role != "tool" {
		return nil
	}
	rest, body, ok := lastReminder(m.text())
	for ; ok; rest, body, ok = lastReminder(rest) {
		if found := midTurn.FindStringSubmatch(body); found != nil {
			words = append(words, strings.TrimSpace(found[1]))
		}
	}
	return words
}

// relayedQuote checks words that a tool's result relays.
func (c *checker) relayedQuote(text string) bool {
	found := relayedForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindQuote)
	c.rec.entry = nil
	number, _ := strconv.Atoi(found[1])
	m := c.within(number)
	if m == nil {
		c.fault(RulePlace, "message %d is not among those replaced: %s", number, excerpt(text))
		return true
	}
	for _, words := range m.relayed() {
		if quotes(found[2], fold(words)) {
			return true
		}
	}
	c.fault(RuleQuote, "message %d relays something else: %s", number, excerpt(found[2]))
	return true
}

// attachedForm is an entry on the images and files of a message.
var attachedForm = regexp.MustCompile(`^(\d+) (.+?): ([^:]+)$`)

// mediaPart is what a part of a message, other than text, has of an image or a file.
type mediaPart struct {
	URL    json.RawMessage `json:"image_url"`
	Source struct {
		MediaType string `json:"media_type"`
	}
	MimeType, Title, Filename string
	Data                      string          `json:"file_data"`
	Inner                     json.RawMessage `json:"file"`
}

// dataURL matches the beginning of an address that holds the data.
var dataURL = regexp.MustCompile(`^data:([^;,]+)[;,]`)

// named returns the type of an image or a file, and its name if it has one.
func (a *mediaPart) named(kind string) []string {
	url, name, known := "", a.Filename+a.Title, a.Source.MediaType+a.MimeType
	switch kind {
	case "image_url", "input_image":
		kind = "image"
		var in struct{ URL string }
		if json.Unmarshal(a.URL, &url) != nil && json.Unmarshal(a.URL, &in) == nil {
			url = in.URL
		}
	case "file", "input_file":
		kind, url = "file", a.Data
		var in struct {
			Filename string
			Data     string `json:"file_data"`
		}
		if json.Unmarshal(a.Inner, &in) == nil {
			url, name = in.Data, in.Filename
		}
	case "input_audio":
		kind = "audio"
	case "image", "document", "video", "audio":
	default:
		return nil
	}
	if found := dataURL.FindStringSubmatch(url); found != nil {
		known = found[1]
	}
	if known == "" {
		known = kind
	}
	if name != "" {
		known += ` "` + strings.ReplaceAll(fold(name), `"`, "'") + `"`
	}
	return []string{known}
}

// attached checks what a message, or the result of a call in it, is stated to have beside text, and
// who attached it.
func (c *checker) attached(text string) bool {
	found := attachedForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindAttached)
	number, _ := strconv.Atoi(found[1])
	m := c.within(number)
	if m == nil {
		c.fault(RulePlace, "message %d is not among those replaced: %s", number, excerpt(text))
		return true
	}
	of := []*message{}
	if by := map[bool]string{true: "user", false: "client"}[m.person()]; m.role == "user" &&
		found[2] == by || m.role != "user" && found[2] == m.role {
		of = append(of, m)
	}
	for _, k := range c.client.between(1, c.rec.last) {
		args, ok := strings.CutPrefix(found[2], fold(k.tool)+"(")
		if k.caller == m &&
			(k.shared || ok && k.calledWith(strings.TrimSuffix(args, ")"), c.rec.folder)) {
			of = append(of, k.result)
		}
	}
	if len(of) == 0 {
		c.fault(RuleSpeaker, "message %d is of another: %s", number, excerpt(text))
	} else if !slices.ContainsFunc(of, func(m *message) bool {
		return quotes(found[3], m.listed())
	}) {
		c.fault(RuleValue, "message %d has something else: %s", number, excerpt(text))
	}
	return true
}

// listed lists the images and files of a message, with the number of those that are the same.
func (m *message) listed() string {
	var all []string
	for i, name := range m.files {
		if slices.Index(m.files, name) < i {
			continue
		}
		n := 0
		for _, other := range m.files {
			if other == name {
				n++
			}
		}
		if n > 1 {
			name = fmt.Sprintf("%d × %s", n, name)
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}
