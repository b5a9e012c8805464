package compactor

import (
	"bytes"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/summary"
)

// usersInARow counts user messages right behind another one, instructions
// between them or not.
func usersInARow(r *chat.Request) (n int) {
	var last chat.Role
	for i := range r.Messages() {
		role := r.Messages()[i].Role()
		if role.Instructs() {
			continue
		}
		if role == chat.User && last == chat.User {
			n++
		}
		last = role
	}
	return n
}

func TestStrictTurnsAlternate(t *testing.T) {
	policy := settings.Policy{Trigger: 6000, Target: 3000, RecordTokens: 3000}
	strictly := policy
	strictly.StrictTurns = true
	apart := 0
	for seed := range randomSeeds(3) {
		msgs := session(seed, 60)
		strict := New(Options{Policy: strictly, Counter: byBytes, Store: newMemStore()})
		loose := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		turns(t, msgs, func(n int) {
			in := parse(t, body(msgs[:n]))
			out := parse(t, strict.Compact(t.Context(), in, "ann").Body)
			if got, was := usersInARow(out), usersInARow(in); got > was {
				t.Errorf(
					"seed %d, turn %d: %d user messages behind another, %d came",
					seed,
					n,
					got,
					was,
				)
			}
			first := 0
			for first < len(out.Messages()) && out.Messages()[first].Role().Instructs() {
				first++
			}
			if out.Messages()[first].Role() != chat.User {
				t.Errorf("seed %d, turn %d: the first turn is not the user's", seed, n)
			}
			if usersInARow(parse(t, loose.Compact(t.Context(), in, "ann").Body)) > usersInARow(in) {
				apart++
			}
		})
	}
	if apart == 0 {
		t.Error("without strict turns no two user messages met: nothing is shown")
	}
}

// The client's message stays as it was spelled wherever the record goes into
// it.
func TestRecordMergesIntoTheUsersMessage(t *testing.T) {
	text := checkpoint.Record{Raw: []byte(`{"role":"user","content":"R\n\ud83d"}`), Tokens: 1}
	image := checkpoint.Record{
		Raw: []byte(
			`{"role":"user","content":[{"type":"text","text":"I"},{"type":"image_url","image_url":{"url":"u"}}]}`,
		),
		Tokens: 1,
	}
	const end = `\n[End of the record. The user's own message follows.]\n\n`
	none, onPart, onMessage := checkpoint.Breakpoint{}, checkpoint.Breakpoint{
		Value: chat.Value(`{"type":"ephemeral"}`),
	}, checkpoint.Breakpoint{
		Value:   chat.Value(`{"type":"ephemeral"}`),
		Message: true,
	}
	const mark = `"cache_control":{"type":"ephemeral"}`
	for name, test := range map[string]struct {
		user    string
		records []checkpoint.Record
		mark    checkpoint.Breakpoint
		want    string
	}{
		"string": {`{"role":"user", "content" : "\u0041 \/ \udc00","name":"ann"}`, []checkpoint.Record{text}, none,
			`{"role":"user", "content" : "R\n\ud83d` + end + `\u0041 \/ \udc00","name":"ann"}`},
		"two records": {`{"role":"user","content":"a"}`, []checkpoint.Record{text, text}, none,
			`{"role":"user","content":"R\n\ud83d\n\nR\n\ud83d` + end + `a"}`},
		"parts": {`{"role":"user","content":[ {"type":"text","text":"a"} , {"type":"x","n":2.50}]}`, []checkpoint.Record{text}, none,
			`{"role":"user","content":[{"type":"text","text":"R\n\ud83d` + end + `"}, {"type":"text","text":"a"} , {"type":"x","n":2.50}]}`},
		"a record with an image": {`{"role":"user","content":"a"}`, []checkpoint.Record{image}, none,
			`{"role":"user","content":[{"type":"text","text":"I"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"` + end + `"},{"type":"text","text":"a"}]}`},
		"no parts":   {`{"role":"user","content":[ ]}`, []checkpoint.Record{text}, none, `{"role":"user","content":[{"type":"text","text":"R\n\ud83d` + end + `"}]}`},
		"null":       {`{"content":null,"role":"user"}`, []checkpoint.Record{text}, none, `{"content":[{"type":"text","text":"R\n\ud83d` + end + `"}],"role":"user"}`},
		"no content": {`{ "role":"user"}`, []checkpoint.Record{text}, none, `{"content":[{"type":"text","text":"R\n\ud83d` + end + `"}], "role":"user"}`},
		"a mark on a part": {`{"role":"user","content":"a"}`, []checkpoint.Record{text}, onPart,
			`{"role":"user","content":[{"type":"text","text":"R\n\ud83d` + end + `",` + mark + `},{"type":"text","text":"a"}]}`},
		"a mark on the message": {`{"role":"user","content":"a"}`, []checkpoint.Record{text}, onMessage,
			`{"role":"user","content":"R\n\ud83d` + end + `a",` + mark + `}`},
		"a mark where there is one": {`{"role":"user","content":"a","cache_control":{}}`, []checkpoint.Record{text}, onMessage,
			`{"role":"user","content":"R\n\ud83d` + end + `a","cache_control":{}}`},
	} {
		m := chattest.Message(t, test.user)
		got := checkpoint.MergeInto(
			m,
			checkpoint.ContentOf(new(layout.View), test.records),
			test.mark,
		)
		if string(got) != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
		if _, err := chat.ParseMessage(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A request that a record was put into by a proxy before this one is still a
// request.
func TestMergedRequestIsARequest(t *testing.T) {
	m := chattest.Message(t, `{"role":"user","content":"go on with the tests"}`)
	record := checkpoint.Record{
		Raw:    []byte(`{"role":"user","content":"` + summary.Mark + ` 4 messages]\n"}`),
		Tokens: 1,
	}
	merged := chattest.Message(
		t,
		string(
			checkpoint.MergeInto(
				m,
				checkpoint.ContentOf(new(layout.View), []checkpoint.Record{record}),
				checkpoint.Breakpoint{},
			),
		),
	)
	alone := chattest.Message(t, string(record.Raw))
	if !isRequest(merged) || isRequest(alone) {
		t.Error("got the record for a request, or the request for a record")
	}
}

// marked is a conversation whose client marks messages as agents do: the
// leading instructions, the task, and the newest messages at every turn.
func marked(level string, n int) (msgs []string) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	at := func(on bool, where string) string {
		if on && where == level {
			return mark
		}
		return ""
	}
	msgs = append(
		msgs,
		`{"role":"system","content":[{"type":"text","text":"S"`+mark+`}]}`,
		`{"role":"user","content":[{"type":"text","text":"Fix the build of all services."`+at(
			true,
			"part",
		)+`}]`+at(
			true,
			"message",
		)+`}`,
	)
	for i := range n {
		newest := i >= n-2
		id := "call_" + string(rune('a'+i%26))
		msgs = append(
			msgs,
			`{"role":"assistant","content":null,"reasoning_content":"I think \ud83d","tool_calls":[{"id":"`+id+
				`","type":"function","function":{"name":"read","arguments":"{}"}`+at(
				newest || i == 0,
				"call",
			)+`}]}`,
			`{"role":"tool","tool_call_id":"`+id+`","content":[{"type":"text","text":"`+strings.Repeat(
				"Some output of "+id+". ",
				50,
			)+`"`+at(
				newest,
				"part",
			)+`}]`+at(
				newest,
				"message",
			)+`}`,
		)
	}
	return msgs
}

func lastRecord(r *chat.Request) (last *chat.Message) {
	for i := range r.Messages() {
		if m := &r.Messages()[i]; m.Role() == chat.User &&
			strings.Contains(m.Text(), summary.Mark) {
			last = m
		}
	}
	return last
}

func TestBreakpointsMoveWithTheirMessages(t *testing.T) {
	for name, policy := range policies() {
		for _, level := range []string{"message", "part", "call"} {
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			folded := false
			for n := 1; n < 40; n++ {
				msgs := marked(level, n)
				in := body(msgs)
				res := e.Compact(t.Context(), parse(t, in), "ann")
				was, is := bytes.Count(in, layout.MarkName), bytes.Count(res.Body, layout.MarkName)
				if is > was || is > 4 {
					t.Fatalf(
						"%s, %s, turn %d: %d marks of %d: %s",
						name,
						level,
						n,
						is,
						was,
						res.Body,
					)
				}
				if record := lastRecord(parse(t, res.Body)); record != nil {
					// The task was marked, and is kept with its mark; or the first call, whose
					// mark moves to the record. A strict template has one message for both.
					b, kept := checkpoint.LastBreakpoint(
						record,
					), bytes.Contains(
						res.Body,
						[]byte(msgs[1]),
					)
					moved := b.Value != nil && b.Message == (level == "message")
					if !moved && (level == "call" || policy.StrictTurns) ||
						kept == policy.StrictTurns {
						t.Fatalf(
							"%s, %s, turn %d: the record's mark is %s, the task is kept %t: %s",
							name,
							level,
							n,
							b.Value,
							kept,
							record.Raw,
						)
					}
					folded = true
				}
				if got := recount(parse(t, res.Body)); got != res.Sent {
					t.Errorf(
						"%s, %s, turn %d: says %d tokens, sent %d",
						name,
						level,
						n,
						res.Sent,
						got,
					)
				}
				for _, raw := range msgs[len(msgs)-2:] {
					if !bytes.Contains(res.Body, []byte(raw)) {
						t.Fatalf("%s, %s, turn %d: a kept message changed: %s", name, level, n, raw)
					}
				}
			}
			if !folded {
				t.Errorf("%s, %s: nothing was folded", name, level)
			}
		}
	}
}

func TestMaskedOutputKeepsItsMark(t *testing.T) {
	for in, want := range map[string]string{
		`{"role":"tool","content":[{"type":"text","text":"a","cache_control":{}},{"type":"text","text":"b"}]}`: `{"role":"tool","content":[{"type":"text","text":"P","cache_control":{}}]}`,
		`{"role":"tool","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`:                    `{"role":"tool","content":[{"type":"text","text":"P"}]}`,
		`{"cache_control":{},"role":"tool","content":"long"}`:                                                  `{"cache_control":{},"role":"tool","content":"P"}`,
		`{"role":"tool","content":[]}`: `{"role":"tool","content":"P"}`,
	} {
		m := chattest.Message(t, in)
		if got := checkpoint.Masked(m, "P"); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
