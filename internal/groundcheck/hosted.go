package groundcheck

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ran is what the provider's own tool returned.
type ran struct {
	end     outcome
	text    string // what it printed or returned, without its sources
	sources []source
}

// source is a page or a file, with what is cited of it.
type source struct{ title, url, text string }

// block is a block of the Messages API, or the content of a result.
type block struct {
	Type, ID, Name string
	Server         string          `json:"server_name"`
	Of             string          `json:"tool_use_id"`
	IsError        bool            `json:"is_error"`
	Input, Content json.RawMessage // Content is a string, a block, or several
	Title, URL     string
	Text           *string
	Stdout, Stderr string
	ReturnCode     *int   `json:"return_code"`
	ErrorCode      string `json:"error_code"`
	Source         struct{ Type, Data string }
	Citations      []struct {
		Type, Title, URL string
		Text             string `json:"cited_text"`
	}
}

// readBlocks reads the calls that the provider ran, and what the text cites.
func (m *message) readBlocks(content json.RawMessage) {
	var blocks []block
	if m.role != "assistant" || json.Unmarshal(content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		switch {
		case b.Type == "server_tool_use" || b.Type == "mcp_tool_use":
			name := strings.TrimPrefix(b.Server+"."+b.Name, ".")
			m.ran = append(m.ran, &call{caller: m, id: b.ID, tool: name, raw: string(b.Input),
				args: readArguments(string(b.Input)), hosted: true})
		case b.Of != "" && strings.HasSuffix(b.Type, "_tool_result"):
			k := &call{id: b.Of, hosted: true}
			k.ran.end.failed = b.IsError
			k.ran.read(b.Content)
			m.answer(k)
		case b.Type == "text":
			for _, c := range b.Citations {
				if c.Type == "web_search_result_location" {
					m.cited = append(m.cited, source{c.Title, c.URL, c.Text})
				}
			}
		}
	}
}

// answer adds the result of a call, which an earlier message may have made.
func (m *message) answer(k *call) {
	texts := []string{k.ran.text}
	for _, s := range k.ran.sources {
		texts = append(texts, s.title, s.url)
	}
	k.result = &message{texts: texts}
	m.ran = append(m.ran, k)
}

// read reads the content of a result.
func (r *ran) read(content json.RawMessage) {
	var text string
	var list []json.RawMessage
	var b block
	switch {
	case json.Unmarshal(content, &text) == nil:
		r.print(text)
		return
	case json.Unmarshal(content, &list) == nil:
		for _, part := range list {
			r.read(part)
		}
		return
	case json.Unmarshal(content, &b) != nil:
		return
	}
	if b.ReturnCode != nil {
		r.end.stated, r.end.exit = true, *b.ReturnCode
		r.end.failed = r.end.failed || r.end.exit != 0
	}
	r.end.failed = r.end.failed || b.ErrorCode != ""
	switch b.Type {
	case "web_search_result":
		r.sources = append(r.sources, source{title: b.Title, url: b.URL})
		return
	case "web_fetch_result":
		var page block
		_ = json.Unmarshal(b.Content, &page)
		r.sources = append(r.sources, source{title: page.Title, url: b.URL})
		b.Source = page.Source
	default:
		r.read(b.Content)
	}
	if b.Text != nil {
		r.print(*b.Text)
	}
	r.print(b.Stdout)
	r.print(b.Stderr)
	r.print(b.ErrorCode)
	if b.Source.Type == "text" {
		r.print(b.Source.Data)
	}
}

func (r *ran) print(text string) {
	if text != "" {
		r.text = strings.TrimPrefix(r.text+"\n"+text, "\n")
	}
}

// ranBefore pairs the calls and results of the provider in a message with the calls made so far.
func (m *message) ranBefore(made []*call) []*call {
	for _, k := range m.ran {
		if k.result != nil {
			k.result.number = m.number
		}
		if k.caller != nil {
			made = append(made, k)
			continue
		}
		for _, of := range slices.Backward(made) {
			if of.hosted && of.id == k.id && of.result == nil {
				of.result, of.ran = k.result, k.ran
				break
			}
		}
	}
	return made
}

// returned reports whether a tool of the provider's returned a quote in the message, or a page or
// a file has it that the message cites.
func (m *message) returned(quote string) bool {
	var cited []string
	for _, s := range m.cited {
		cited = append(cited, s.title, s.url, s.text)
	}
	texts := []string{strings.Join(cited, "\n")}
	for _, k := range m.ran {
		if k.result != nil && k.result.number == m.number {
			texts = append(texts, k.result.text())
		}
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		return containsCut(fold(text), quote)
	})
}

var (
	citedForm = regexp.MustCompile(`^(\d+) assistant cited: (.+)$`)
	// A title has no quotation mark in it, and an address no space.
	sourceForm = regexp.MustCompile(`^(?:"([^"]*)"(?: ([^" ]+))?|([^" ]+))(?:; |$)`)
	othersForm = regexp.MustCompile(`^(\d+) more(?:; |$)`)
)

// citedSources checks which sources a reply cites.
func (c *checker) citedSources(text string) bool {
	found := citedForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindSource)
	number, _ := strconv.Atoi(found[1])
	m := c.within(number)
	if m == nil || m.role != "assistant" {
		c.fault(RuleSpeaker, "message %d is not the assistant's", number)
		return true
	}
	if rest := c.listed(found[2], m.cited); rest != "" {
		c.fault(RuleSource, "message %d cites no %s", number, excerpt(rest))
	}
	return true
}

// listed checks a list of sources, and returns what follows it.
func (c *checker) listed(list string, of []source) (rest string) {
	shown := 0
	for list != "" {
		if more := othersForm.FindStringSubmatch(list); more != nil && shown > 0 {
			if n, _ := strconv.Atoi(more[1]); shown+n > len(of) {
				c.fault(RuleCount, "%d sources and %d more, of %d", shown, n, len(of))
			}
			return list[len(more[0]):]
		}
		found := sourceForm.FindStringSubmatch(list)
		if found == nil || !slices.ContainsFunc(of, func(s source) bool {
			return s.shownAs(found[1], found[2]+found[3])
		}) {
			return list
		}
		shown++
		list = list[len(found[0]):]
	}
	return ""
}

// shownAs reports whether a title and an address are those of the source. Either may be left out.
func (s source) shownAs(title, url string) bool {
	return (title == "" || matches(title, fold(strings.ReplaceAll(s.title, `"`, "'")))) &&
		(url == "" || matches(url, s.url))
}

// hostedOutput checks what is stated of the result of a call that the provider ran: sources, and
// after them the text.
func (c *checker) hostedOutput(cl claim, text string) {
	rest := cl.output
	if len(cl.of.ran.sources) > 0 {
		rest = c.listed(rest, cl.of.ran.sources)
		if rest == "" {
			c.count(KindSource)
			return
		}
		after, found := strings.CutPrefix(rest, "text: ")
		if !found && rest != cl.output {
			c.fault(RuleSource, "no source of it: %s", excerpt(rest))
		}
		rest = after // the whole output if the call's arguments have all of its sources
	}
	if _, ok := listsValues(rest, cl.of.ran.text); !ok && !quotesAny(rest, cl.of.ran.text) {
		c.fault(RuleValue, "the result holds something else: %s", excerpt(text))
	}
}

// citing counts the replies in the record's span that cite something.
func (c *checker) citing() (n int) {
	for _, m := range c.client.messages[c.rec.first-1 : c.rec.last] {
		if len(m.cited) > 0 {
			n++
		}
	}
	return n
}
