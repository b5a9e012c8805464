package tokenizer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
	"killick/view"
)

// conversation is an agent's: a task, then turns of calls, results and words.
type conversation struct {
	t        testing.TB
	r        *rand.Rand
	model    string
	messages []string
}

func newConversation(t testing.TB, model string, seed uint64) *conversation {
	c := &conversation{t: t, r: rand.New(rand.NewPCG(seed, 1)), model: model}
	c.messages = []string{
		c.message("system", "You are a careful agent. "+c.words(400)),
		c.message("user", "Please change the parser. "+c.words(40)),
	}
	return c
}

func (c *conversation) words(n int) string {
	var b strings.Builder
	for n > 0 {
		sentence := corpus.Sentence(c.t, c.r)
		b.WriteString(sentence + ". ")
		n -= strings.Count(sentence, " ") + 1
	}
	return b.String()
}

func (c *conversation) message(role, text string) string {
	return fmt.Sprintf(`{"role":%q,"content":%s}`, role, rawjson.AppendQuoted(nil, text))
}

// turn adds what an assistant did and its outcome.
func (c *conversation) turn() {
	calls := c.r.IntN(3)
	if calls == 0 {
		c.messages = append(c.messages, c.message("assistant", c.words(120)), c.message("user",
			c.words(30)))
		return
	}
	var b, results []string
	for i := range calls {
		id := fmt.Sprintf("call_%d_%d", len(c.messages), i)
		args := rawjson.AppendQuoted(nil, fmt.Sprintf(`{"path":"src/%d.go",`+
			`"text":%q}`, c.r.IntN(1000), c.words(20)))
		b = append(b, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"edit_file",`+
			`"arguments":%s}}`, id, args))
		results = append(results, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,`+
			`"content":%s}`, id, rawjson.AppendQuoted(nil, c.words(50+c.r.IntN(400)))))
	}
	c.messages = append(c.messages, fmt.Sprintf(`{"role":"assistant","content":null,`+
		`"tool_calls":[%s]}`, strings.Join(b, ",")))
	c.messages = append(c.messages, results...)
}

const toolsOfTests = `[{"type":"function","function":{"name":"edit_file","description":"Change ` +
	`a file of the project. The text replaces the whole of it.","parameters":{"type":"object",` +
	`"properties":{"path":{"type":"string","description":"where the file is, from the root of ` +
	`the project"},"text":{"type":"string","description":"all of the new text"},` +
	`"mode":{"type":"string","enum":["create","replace"],"default":"replace"}},` +
	`"required":["path","text"]}}}]`

func (c *conversation) request() *view.Request {
	return parse(c.t, fmt.Sprintf(`{"model":%q,"tools":%s,`+
		`"messages":[%s]}`, c.model, toolsOfTests, strings.Join(c.messages, ",")))
}
