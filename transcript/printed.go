package transcript

import (
	"encoding/json"
	"strings"

	"killick/rawjson"
)

// Output returns what a call printed, without frames, "" if that is not known. text is the text of
// its result.
func (t *Transcript) Output(c *Call, text string) string {
	switch {
	case c.ran != nil:
		return c.ran.Readable()
	case c.Hosted:
		return ""
	case c.Written:
		return text
	case c.part == 0:
		return c.value(c.reading().Output(&t.Messages[c.Result], text))
	case c.part < 0 || c.Result < 0 || text != t.Text(c.Result):
		return "" // the parts of a result that was cut are not known
	case c.isTask():
		return c.printed
	}
	texts, _ := printed(&t.Messages[c.Result])
	if len(texts) < c.part {
		return ""
	}
	return c.value(texts[c.part-1].Text())
}

// value returns the output in the value that a call returned, or the value itself.
func (c *Call) value(text string) string {
	if !c.encoded {
		return text
	}
	v := rawjson.Value(strings.TrimSpace(text))
	switch {
	case !json.Valid(v):
	case v.Kind() == rawjson.String:
		return v.Text()
	case ofCommand(v):
		return v.Get("output").Text()
	}
	return text
}

// LastLine returns the last line of a text that is not empty.
func LastLine(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	last := strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
	// what agents write if there is no output
	switch last {
	case "(no output)", "(empty)", "(Bash completed with no output)",
		"(Command completed with no output)", // Letta Code 0.25.9
		"Command executed successfully.":     // Kimi Code 2.1.0
		return ""
	}
	return last
}

// Texts returns the string arguments of a call, each on its own lines, without its action and its
// options.
func (c *Call) Texts() string {
	var b strings.Builder
	shell := c.isShell()
	for i := range c.Args {
		name := keyName(c.Args[i].root())
		option := shell && shellKeys[name] || lists[c.tool] && name == "outputmode"
		if c.Args[i].Quoted && !option && (c.action == "" || c.Args[i].Text != c.action) {
			b.WriteString(c.Args[i].Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
