package formats

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"killick/internal/convert"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakemessages"
	"killick/internal/recorded"
	"killick/proxy/expand"
	"killick/rawjson"
)

// talk is a client of the Messages API that plays a conversation as in life: what the user's side
// sends was recorded, and what the model answers, its thinking signed for what the upstream got, is
// what the client sends back.
type talk struct {
	up     *fakemessages.Server
	next   atomic.Pointer[[]fakemessages.Content] // what the model answers
	expand bool                                   // but first it reads what was left out
	path   string
	fields []byte // of each request, with the bracket that begins the messages
	header []string
	turns  []exchange

	history [][]byte // messages so far
	last    []byte   // the last request
	cached  *caching // nil: the client marks nothing
	sent    int      // requests
	refs    map[string]bool
	actions map[string]int
	signed  int // thinking blocks in requests that were compacted
}

// exchange is what the user's side sends, and what the model then answers.
type exchange struct {
	messages [][]byte
	reply    []fakemessages.Content
}

// thought is what the model thinks at every turn.
const thought = "The last result shows which file holds the limit. Next comes its caller, then " +
	"the test that covers it; the edit waits until both are read."

// newTalk returns the client for a chat request with a whole conversation; nil if the Messages API
// has no spelling for it. thinking is the setting, and header goes with each request; think is
// whether each turn of the model starts with thinking of ours, or the model decides.
func newTalk(t testing.TB, chat []byte, thinking string, think bool, header ...string) *talk {
	t.Helper()
	return newTalkTo(t, chat, thinking, think, fakemessages.Config{}, header...)
}

// newTalkTo is newTalk with an upstream of a script.
func newTalkTo(t testing.TB, chat []byte, thinking string, think bool, script fakemessages.Config,
	header ...string) *talk {
	t.Helper()
	body, err := convert.Messages(chat)
	if err != nil {
		return nil
	}
	k := &talk{path: "/v1/messages", refs: map[string]bool{}, actions: map[string]int{}}
	k.header = append([]string{"X-Api-Key", "key", "Anthropic-Version", "2023-06-01"}, header...)
	k.fields = []byte(`{`)
	for key, value := range rawjson.Value(body).Members() {
		if key.Is("messages") {
			k.turns = exchanges(value, think)
			continue
		}
		k.fields = append(append(append(append(k.fields, key...), ':'), value...), ',')
	}
	k.fields = append(append(k.fields, thinking...), `"messages":[`...)
	script.Record = true
	script.Think = func(*fakemessages.Request) string { return thought }
	script.Reply = func(r *fakemessages.Request) fakemessages.Reply {
		if ref := leftOut(r.Body); k.expand && ref != "" {
			return fakemessages.Reply{Blocks: []fakemessages.Content{fakemessages.Thinking(thought),
				fakemessages.Call("", expand.Name, `{"ref":"`+ref+`"}`)}}
		}
		return fakemessages.Reply{Blocks: *k.next.Load()}
	}
	k.up = fakemessages.New(script)
	t.Cleanup(k.up.Close)
	return k
}

// exchanges splits messages after each turn of the assistant.
func exchanges(messages rawjson.Value, think bool) (all []exchange) {
	open := false // the last exchange has no reply yet
	for m := range messages.Elements() {
		if !m.Get("role").Is("assistant") {
			if !open {
				all, open = append(all, exchange{}), true
			}
			last := &all[len(all)-1]
			last.messages = append(last.messages, m)
			continue
		}
		last := &all[len(all)-1]
		if think && open {
			last.reply = append(last.reply, fakemessages.Thinking(thought))
		}
		open = false
		content := m.Get("content")
		if content.Kind() == rawjson.String {
			text := fmt.Appendf(nil, `{"type":"text","text":%s}`, content)
			last.reply = append(last.reply, fakemessages.Raw(string(text)))
		}
		for block := range content.Elements() {
			last.reply = append(last.reply, fakemessages.Raw(string(block)))
		}
	}
	return all
}

// ask sends the next request to a base URL and takes the reply into the history.
func (k *talk) ask(t testing.TB, base string) proxytest.Answer {
	t.Helper()
	turn := k.turns[k.sent]
	k.next.Store(&turn.reply)
	if len(turn.reply) == 0 {
		k.next.Store(&[]fakemessages.Content{fakemessages.Text("Done.")})
	}
	for _, m := range turn.messages {
		k.add(m)
	}
	k.sent++
	k.last = k.request()
	a := proxytest.Ask(t, "POST", base+k.path, k.last, k.header...)
	if a.Status != 200 {
		t.Fatalf("request %d of %d: %d %.400s", k.sent, len(k.turns), a.Status, a.Body)
	}
	k.add(fmt.Appendf(nil, `{"role":"assistant","content":%s}`,
		rawjson.Value(a.Body).Get("content")))
	if ref := a.Header.Get("Killick-Summary"); ref != "" {
		k.refs[ref] = true
	}
	for action := range strings.SplitSeq(a.Action(), ", ") {
		k.actions[action]++
	}
	return a
}

// again sends the last request to a replica that has never seen the conversation, and fails unless
// it forwards the same bytes.
func (k *talk) again(t testing.TB, r *replica) {
	t.Helper()
	before := k.up.Requests()
	if a := r.Ask(t, "POST", k.path, k.last, k.header...); a.Status != 200 {
		t.Fatalf("the last request by another replica: %d %.400s", a.Status, a.Body)
	}
	after := k.up.Requests()
	if !bytes.Equal(after[len(after)-1].Body, before[len(before)-1].Body) {
		t.Error("another replica forwards the last request as other bytes")
	}
}

func (k *talk) add(message []byte) { k.history = append(k.history, message) }

// request is the body with the messages so far.
func (k *talk) request() []byte {
	messages := k.history
	if k.cached != nil {
		messages = k.cached.marked(messages)
	}
	body := append(bytes.Clone(k.fields), bytes.Join(messages, []byte(`,`))...)
	return append(body, `]}`...)
}

// refused returns the refusals of the upstream, those that the client never saw too.
func (k *talk) refused() (all []string) {
	for _, r := range k.up.Requests() {
		if r.Refused != "" {
			all = append(all, r.Refused)
		}
		if bytes.Contains(r.Body, []byte("Record of earlier turns")) {
			k.signed += bytes.Count(r.Body, []byte(`"signature":"`))
		}
	}
	return all
}

// journey is the way of a conversation through replicas: it begins at one that is started again
// with its store and then without, and goes on at two in turns.
type journey struct {
	*deployment
	first, second *replica
	refusals      int // of reasoning, as the replicas counted them
}

func newJourney(t testing.TB, d *deployment) *journey {
	return &journey{deployment: d, first: d.start(t)}
}

// at returns the replica for request i of n.
func (j *journey) at(t testing.TB, i, n int) *replica {
	switch {
	case i == n/4:
		j.refusals += j.first.total(t, refusals)
		j.first = j.first.restarted(t, false)
	case i == n/2:
		j.refusals += j.first.total(t, refusals)
		j.first = j.first.restarted(t, true)
	case i >= n*5/8 && i%2 == 1:
		if j.second == nil {
			j.second = j.start(t)
		}
		return j.second
	}
	return j.first
}

// end stops the replicas and returns how many refusals of reasoning they counted.
func (j *journey) end(t testing.TB) int {
	for _, r := range []*replica{j.first, j.second} {
		if r != nil {
			j.refusals += r.total(t, refusals)
			r.Stop()
		}
	}
	return j.refusals
}

const refusals = "reasoning_refusals_total"

// looping is a chat request of one task and so many calls of a tool, each with an output of about
// so many bytes. The task is the only message of the user.
func looping(model string, turns, output int) []byte {
	b := fmt.Appendf(nil, `{"model":%q,"max_tokens":8192,"messages":[{"role":"system",`+
		`"content":"You mend programs."},{"role":"user","content":"Find where the limit is parsed `+
		`and mend it. Never edit a test."}`, model)
	for i := range turns {
		var text strings.Builder
		for line := 0; text.Len() < output; line++ {
			fmt.Fprintf(&text, "%d: func limit%d_%d(n int) error { return check(n, %d) }\n", line,
				i, line, i*line)
		}
		b = fmt.Appendf(b, `,{"role":"assistant","content":"Reading part %d.","tool_calls":[{`+
			`"id":"call_%[1]d","type":"function","function":{"name":"read_file",`+
			`"arguments":"{\"path\":\"src/limit_%[1]d.go\"}"}}]},`+
			`{"role":"tool","tool_call_id":"call_%[1]d","content":%[2]s}`, i,
			rawjson.AppendQuoted(nil, text.String()))
	}
	return append(b, `]}`...)
}

// whole returns a conversation up to the last message that is not the assistant's and after which
// no call is open, as a chat request to a model; nil if it cannot be spelled for the Messages API.
func whole(c *recorded.Conversation, model string) []byte {
	for n := len(c.Messages); n > len(c.Messages)-4 && n > 1; n-- {
		if c.FromAssistant(n - 1) {
			continue
		}
		body := c.Body(`"model":"`+model+`","max_tokens":8192`, n)
		if _, err := convert.Messages(body); err == nil {
			return body
		}
	}
	return nil
}
