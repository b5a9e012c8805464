package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"killick/internal/convert"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakeresponses"
	"killick/internal/recorded"
	"killick/proxy/expand"
	"killick/rawjson"
)

// dialog is a client of the Responses API that plays a recorded conversation and keeps nothing at
// the server: what the model answers, its encrypted reasoning among it, is sent back.
type dialog struct {
	up     *fakeresponses.Server
	next   atomic.Pointer[fakeresponses.Reply]
	fields []byte
	expand bool // but first it reads what was left out
	stored bool // it refers to what the server keeps, as the AI SDK does by default
	mark   bool // the client marks each part of what is new as a breakpoint
	key    string
	turns  []replyTo

	history [][]byte
	last    []byte
	sent    int
	refs    map[string]bool
}

// replyTo is what the user's side sends, and what the model then answers.
type replyTo struct {
	items [][]byte
	reply fakeresponses.Reply
}

// newDialog returns the client for a chat request with a whole conversation. fields are more
// members of each request, each with a comma after it.
func newDialog(t testing.TB, chat []byte, script fakeresponses.Config, fields string) *dialog {
	t.Helper()
	d := &dialog{refs: map[string]bool{}, fields: []byte(`{` + fields), key: "Bearer key"}
	for key, value := range rawjson.Value(convert.Responses(chat)).Members() {
		if key.Is("input") {
			d.turns = repliesIn(value)
			continue
		}
		d.fields = append(append(append(append(d.fields, key...), ':'), value...), ',')
	}
	d.fields = append(d.fields, `"input":[`...)
	script.Record = true
	script.Reply = func(r *fakeresponses.Request) fakeresponses.Reply {
		body, _ := json.Marshal(r.Body) // it came as JSON
		if ref := leftOut(body); d.expand && ref != "" {
			return fakeresponses.Reply{Summary: "I look it up.", Calls: []fakeresponses.Call{
				{Name: expand.Name, Input: `{"ref":"` + ref + `"}`}}}
		}
		return *d.next.Load()
	}
	d.up = fakeresponses.New(script)
	t.Cleanup(d.up.Close)
	return d
}

// repliesIn splits items after each turn of the assistant.
func repliesIn(items rawjson.Value) (all []replyTo) {
	open := false
	for item := range items.Elements() {
		model := item.Get("role").Is("assistant") || item.Get("type").Is("function_call")
		if !model {
			if !open {
				all, open = append(all, replyTo{}), true
			}
			last := &all[len(all)-1]
			last.items = append(last.items, item)
			continue
		}
		open = false
		reply := &all[len(all)-1].reply
		if item.Get("type").Is("function_call") {
			reply.Calls = append(reply.Calls, fakeresponses.Call{ID: item.Get("call_id").Text(),
				Name: item.Get("name").Text(), Input: item.Get("arguments").Text()})
			continue
		}
		for part := range item.Get("content").Elements() {
			reply.Content += part.Get("text").Text()
		}
	}
	return all
}

// ask sends the next request to a base URL and takes the output into the history.
func (d *dialog) ask(t testing.TB, base string) proxytest.Answer {
	t.Helper()
	turn := d.turns[d.sent]
	if turn.reply.Content == "" && len(turn.reply.Calls) == 0 {
		turn.reply.Content = "Done."
	}
	turn.reply.Summary = "I look for the caller first."
	d.next.Store(&turn.reply)
	for _, item := range turn.items {
		if d.mark {
			item = withBreakpoint(item)
		}
		d.history = append(d.history, item)
	}
	d.sent++
	d.last = append(bytes.Clone(d.fields), bytes.Join(d.history, []byte(`,`))...)
	d.last = append(d.last, `]}`...)
	a := proxytest.Ask(t, "POST", base+"/v1/responses", d.last, "Authorization", d.key)
	if a.Status != 200 {
		t.Fatalf("request %d of %d: %d %.400s", d.sent, len(d.turns), a.Status, a.Body)
	}
	for item := range rawjson.Value(a.Body).Get("output").Elements() {
		if d.stored && !item.Get("type").Is("function_call") {
			item = fmt.Appendf(nil, `{"type":"item_reference","id":%s}`, item.Get("id"))
		}
		d.history = append(d.history, bytes.Clone(item))
	}
	if ref := a.Header.Get("Killick-Summary"); ref != "" {
		d.refs[ref] = true
	}
	return a
}

// withBreakpoint returns a message or an output whose text is one part with a breakpoint.
func withBreakpoint(item []byte) []byte {
	for _, name := range []string{"content", "output"} {
		text := rawjson.Value(item).Get(name)
		if text.Kind() != rawjson.String || len(text) == len(`""`) {
			continue
		}
		part := fmt.Appendf(nil, `[{"type":"input_text","text":%s,`+
			`"prompt_cache_breakpoint":{"mode":"explicit"}}]`, text)
		return rawjson.WithMembers(item, map[string]rawjson.Value{name: part})
	}
	return item
}

// recordedFor returns recorded conversations that are folded several times, as chat requests.
func recordedFor(t *testing.T, model string, normal, short int) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, c := range sampled(t, normal, short) {
		if chat := upTo(&c, model); len(chat) >= 60_000 && len(c.Messages) >= 40 {
			all[c.ID] = chat
		}
	}
	return all
}

// upTo returns a conversation up to the last message that is not the assistant's.
func upTo(c *recorded.Conversation, model string) []byte {
	n := len(c.Messages)
	for n > 1 && c.FromAssistant(n-1) {
		n--
	}
	return c.Body(`"model":"`+model+`"`, n)
}

// Recorded conversations whose model reasons at every turn are never refused: through folds,
// restarts with and without the store, and by another replica in turns.
func TestReasoningIsNeverRefused(t *testing.T) {
	for id, chat := range recordedFor(t, "gpt-5.1", 18, 27) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			d := newDialog(t, chat, fakeresponses.Config{}, "")
			j := newJourney(t, newDeployment(t, d.up.URL(), often(chat)))
			for i := range d.turns {
				d.ask(t, j.at(t, i, len(d.turns)).Public)
			}
			folds := foldsOf(len(d.turns))
			if n := j.end(t); n != 0 || len(d.refs) < folds {
				t.Errorf("%d refusals of reasoning were counted, %d records in %d requests; "+
					"want 0 and %d", n, len(d.refs), len(d.turns), folds)
			}
			for _, r := range d.up.Requests() {
				if r.Status != 200 || r.MovedReasoning+r.MissingPhases > 0 {
					t.Errorf("request %d: %d, %+v", r.N, r.Status, r.Findings)
				}
			}
		})
	}
}

// Where the key of another organization is used from the middle on, what it cannot read of the
// reasoning is left out, and the client sees no error.
func TestReasoningOfOthersIsLeftOut(t *testing.T) {
	chat := looping("gpt-5.1", 40, 2000)
	d := newDialog(t, chat, fakeresponses.Config{}, "")
	r := newDeployment(t, d.up.URL(), between(20_000, 10_000)).start(t)
	for i := range d.turns {
		if i == len(d.turns)/2 {
			d.key = "Bearer another"
		}
		d.ask(t, r.Public)
	}
	refused := 0
	for _, got := range d.up.Requests() {
		if got.Status != 200 {
			refused++
		}
	}
	left := r.total(t, refusals+`{outcome="left_out"}`)
	t.Logf("%d of %d requests with the other key were sent again without reasoning", left,
		len(d.turns)-len(d.turns)/2)
	if left == 0 || refused != left || r.total(t, refusals) != left {
		t.Errorf("the upstream refused %d, %d were sent again", refused, left)
	}
}

// Where the upstream caches at breakpoints alone, the forms that the proxy makes are read nearly as
// far as from a cache that finds the longest prefix.
func TestBreakpointsReachTheLongestPrefix(t *testing.T) {
	if testing.Short() {
		t.Skip("many requests, none at the same time")
	}
	chats := recordedFor(t, "gpt-5.6", 18, 18)
	for name, client := range map[string]struct {
		fields string
		mark   bool
	}{
		"the server's":              {"", false},
		"the client's":              {`"prompt_cache_options":{"mode":"explicit"},`, true},
		"the client's and server's": {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum cacheReads
			for _, chat := range chats {
				var asked atomic.Int64
				d := newDialog(t, chat, fakeresponses.Config{Breakpoints: true,
					Now: func() time.Time {
						return time.Unix(1_800_000_000+20*asked.Add(1), 0)
					}}, client.fields)
				d.mark = client.mark
				r := newDeployment(t, d.up.URL(), small(chat)).start(t)
				for range d.turns {
					d.ask(t, r.Public)
				}
				r.Stop()
				sum.folds += len(d.refs)
				for _, got := range d.up.Requests() {
					sum.add(got.Usage.Cached, got.LongestPrefix, got.Usage.Input)
				}
			}
			sum.report(t)
		})
	}
}
