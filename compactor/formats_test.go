package compactor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/internal/convert"
	"killick/internal/recorded"
	"killick/messages"
	"killick/rawjson"
	"killick/responses"
	"killick/tokenizer"
	"killick/view"
)

// otherFormats are those that a chat request is converted to.
var otherFormats = map[string]struct {
	format  view.Format
	convert func(chat []byte) ([]byte, error)
	api     func(t *testing.T) (check func(in, out []byte) error)
}{
	"messages": {messages.Format, convert.Messages, messagesAPI},
	"responses": {responses.Format, func(chat []byte) ([]byte, error) {
		return convert.Responses(chat), nil
	}, anyAPI},
}

// inFormat is one conversation, as it is sent in a format.
type inFormat struct {
	parser view.Parser
	engine *Engine
}

func newInFormat(counter *tokenizer.Counter, policy settings.Policy) *inFormat {
	return &inFormat{engine: New(Options{
		Policy:  policy,
		Counter: func(_, model string) layout.Counter { return counter.For(model) },
		Store:   newMemStore(),
	})}
}

// compact compacts a request and checks what no format may break.
func (f *inFormat) compact(
	t *testing.T, format view.Format, in []byte,
) (compaction.Outcome, *view.Request) {
	t.Helper()
	req, err := f.parser.Parse(format, "ann", in)
	if err != nil {
		t.Fatal(err)
	}
	res := f.engine.Compact(t.Context(), req, "ann")
	if len(res.FailOpens) > 0 {
		t.Fatalf("%s: %+v", format.Name(), res.FailOpens)
	}
	out, err := view.Parse(format, res.Body)
	if err != nil {
		t.Fatalf("%s: %v in %.200s", format.Name(), err, res.Body)
	}
	was, is := tallyOf(req.Messages()), tallyOf(out.Messages())
	if is.orphans > was.orphans || is.open > was.open || is.instructions != was.instructions {
		t.Fatalf("%s: %+v became %+v", format.Name(), was, is)
	}
	return res, out
}

// same fails unless two outcomes are the same but for the spelling.
func same(t *testing.T, a, b compaction.Outcome, x, y *view.Request) {
	t.Helper()
	decided := func(o compaction.Outcome) string {
		return fmt.Sprint(o.Raw, o.Sent, o.Masked, o.Folded, o.Reused, o.Refetched, o.Reason,
			o.Made, o.Dropped)
	}
	if decided(a) != decided(b) {
		t.Fatalf("decided %s\nand     %s", decided(a), decided(b))
	}
	p, orders := apart(x)
	q, others := apart(y)
	if len(p) != len(q) || len(others) > len(orders) {
		t.Fatalf("%d messages and %d, %d instructions and %d", len(p), len(q), len(orders),
			len(others))
	}
	for i := range p {
		if p[i] != q[i] {
			t.Fatalf("message %d: %.2000s\nand %.2000s", i, p[i], q[i])
		}
	}
	if behind := orders[len(orders)-len(others):]; !slices.Equal(behind, others) {
		t.Fatalf("instructions %q\nand %q", behind, others)
	}
}

// apart returns the messages and the instructions of a request: some formats have the leading ones
// elsewhere, and not every one has them first.
func apart(r *view.Request) (messages, instructions []string) {
	for i := range r.Messages() {
		if m := &r.Messages()[i]; m.Role().Instructs() {
			instructions = append(instructions, spelled(m))
		} else {
			messages = append(messages, spelled(m))
		}
	}
	return messages, instructions
}

// spelled is a message without the ids of calls, which a conversion may change.
func spelled(m *view.Message) string {
	role := m.Role()
	switch {
	case role.Result():
		role = view.Tool
	case role.Instructs():
		role = view.System
	}
	s := fmt.Sprintf("%s %q", role, m.Text())
	for _, call := range m.ToolCalls() {
		arguments := string(call.Arguments) // an object, where they are no string
		if text := call.Arguments; text.Kind() == rawjson.String {
			arguments = text.Text()
		}
		s += fmt.Sprintf(" %s(%s)", call.Name, arguments)
	}
	return s
}

// everyFormat compacts a conversation turn by turn in chat and in each other format, and returns
// how many requests were changed. bodyOf returns the request of its first n messages.
func everyFormat(
	t *testing.T, policy settings.Policy, ends []int, bodyOf func(n int) []byte,
) (changed int) {
	counter := tokenizer.New(tokenizer.Options{})
	for name, other := range otherFormats {
		ours, theirs := newInFormat(counter, policy), newInFormat(counter, policy)
		check := other.api(t)
		for _, n := range ends {
			in := bodyOf(n)
			converted, err := other.convert(in)
			if err != nil {
				t.Logf("%s, %d messages: %v", name, n, err)
				break
			}
			a, x := ours.compact(t, chat.Format, in)
			b, y := theirs.compact(t, other.format, converted)
			if same(t, a, b, x, y); t.Failed() {
				t.Fatalf("%s, %d messages", name, n)
			}
			if !b.Changed() && string(b.Body) != string(converted) {
				t.Fatalf("%s: %d messages were changed, which nobody says", name, n)
			}
			if err := check(converted, b.Body); err != nil {
				t.Fatalf("%s, %d messages: %v", name, n, err)
			}
			if b.Changed() {
				changed++
			}
		}
	}
	return changed
}

// A conversation is compacted at the same turns, with the same records, in every format.
func TestFormatsAreCompactedAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing in it that it does not in shorter ones")
	}
	for name, policy := range policies() {
		if policy.StrictTurns {
			continue // an upstream of other formats joins the messages of one turn itself
		}
		for seed := range randomSeeds(4) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				msgs := withoutLegacy(session(seed, 80))
				var ends []int
				turns(t, msgs, func(n int) { ends = append(ends, n) })
				if everyFormat(t, policy, ends, func(n int) []byte {
					// In other formats, people have no names, and images are counted otherwise.
					in := bytes.ReplaceAll(body(msgs[:n]), []byte(`,"name":"ann"`), nil)
					return bytes.ReplaceAll(in, []byte(","+chattest.Image), nil)
				}) == 0 {
					t.Error("nothing was changed: nothing is shown")
				}
			})
		}
	}
}

// withoutLegacy returns messages with legacy calls as calls of tools: in other formats, their
// results have no names.
func withoutLegacy(msgs []string) []string {
	msgs = slices.Clone(msgs)
	for i, raw := range msgs {
		m := rawjson.Value(raw)
		if call := m.Get("function_call"); call != nil {
			msgs[i] = chattest.Call(fmt.Sprint("legacy", i), call.Get("name").Text(),
				call.Get("arguments").Text())
			msgs[i+1] = chattest.Result(fmt.Sprint("legacy", i),
				rawjson.Value(msgs[i+1]).Get("content").Text())
		}
	}
	return msgs
}

// blank is the content of a message that says nothing, as every format has it: calls stand alone,
// all else says so.
func blank(m rawjson.Value) rawjson.Value {
	if m.Get("tool_calls") != nil {
		return rawjson.Value("null")
	}
	return rawjson.Value(`"(empty)"`)
}

// So is every recorded conversation: some of them, or with KILLICK_FORMATS=all each of them. Others
// are replayed over HTTP by internal/e2e/formats.
func TestRecordedConversationsAreCompactedAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing in it that it does not in shorter ones")
	}
	changed := 0
	for i, c := range recorded.Conversations(t) {
		if i%12 != 0 && os.Getenv("KILLICK_FORMATS") != "all" {
			continue
		}
		policy := settings.Policy{Trigger: 2000, Target: 1000}
		if len(c.Messages) > 100 {
			policy = settings.Policy{Trigger: 32_000, Target: 16_000}
		}
		t.Run(c.ID, func(t *testing.T) {
			if speaksTwice(&c) {
				t.Skip("an assistant message follows another: one turn in other formats")
			}
			var ends []int
			for n, m := range c.Messages {
				if m := rawjson.Value(m); !m.Get("role").Is("function") {
					c.Messages[n] = json.RawMessage(m.Without("name")) // not in every format
				}
				if text := rawjson.Value(m).Get("content"); text.Kind() == rawjson.String &&
					strings.TrimSpace(text.Text()) == "" { // nor is a text without words
					c.Messages[n] = rawjson.WithMembers(c.Messages[n],
						map[string]rawjson.Value{"content": blank(rawjson.Value(m))})
				}
				if n > 0 && c.FromAssistant(n) {
					ends = append(ends, n)
				}
			}
			changed += everyFormat(t, policy, append(ends, len(c.Messages)), func(n int) []byte {
				return c.Body(`"model":"gpt-4o"`, n)
			})
		})
	}
	t.Logf("%d requests were changed", changed)
	if changed == 0 {
		t.Error("nothing was changed: nothing is shown")
	}
}

func speaksTwice(c *recorded.Conversation) bool {
	for i := range c.Messages {
		if i > 0 && c.FromAssistant(i) && c.FromAssistant(i-1) {
			return true
		}
	}
	return false
}
