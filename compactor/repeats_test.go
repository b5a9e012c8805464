package compactor

import (
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/settings"
	"killick/compactor/truncate"
)

// readAgain is a conversation in which a file is read several times, with so many
// bytes said in between.
func readAgain(times, between int) []string {
	content := chat.AppendQuoted(nil, strings.Repeat("a line of the file\n", 60))
	msgs := []string{
		`{"role":"user","content":"Look at it. ` + strings.Repeat("And think. ", 200) + `"}`,
	}
	for i := range times {
		msgs = append(
			msgs,
			fmt.Sprintf(
				`{"role":"assistant","content":%q,"tool_calls":[{"id":"r%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.go\"}"}}]}`,
				strings.Repeat("x", between),
				i,
			),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"r%d","content":%s}`, i, content),
		)
	}
	return msgs
}

func TestARepeatIsToldOnce(t *testing.T) {
	for _, c := range []struct {
		name           string
		times, between int
		want           string // of the outputs: whole or short
	}{
		{"the second is told in a line, the third comes whole", 3, 10, "whole short whole"},
		{"and so on", 5, 10, "whole short whole short whole"},
		{"what stands too far back is told again", 2, 4 * truncate.NearRepeat, "whole whole"},
	} {
		store := newMemStore()
		e := New(
			Options{
				Policy:  settings.Policy{Trigger: 100_000, Target: 50_000, Ingest: 500},
				Counter: byBytes,
				Store:   store,
			},
		)
		msgs := readAgain(c.times, c.between)
		var before []byte
		for n := 3; n <= len(msgs); n += 2 {
			in := body(msgs[:n])
			res := e.Compact(t.Context(), parse(t, in), "ann")
			checkForm(t, in, res.Body)
			out := parse(t, res.Body).Messages()
			if now := out[len(out)-3].Raw; before != nil && len(before) != len(now) {
				t.Errorf("%s: what was sent of a repeat changed at the next turn", c.name)
			}
			before = out[len(out)-1].Raw
			if n < len(msgs) {
				continue
			}
			var got []string
			for i := range out {
				if out[i].Role().Result() {
					got = append(
						got,
						map[bool]string{true: "short", false: "whole"}[strings.HasPrefix(out[i].Text(), "[Word for word")],
					)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s: got %s, want %s", c.name, got, c.want)
			}
		}
		if short := strings.Contains(c.want, "short"); short != (len(store.originals) > 0) {
			t.Errorf("%s: %d originals are kept", c.name, len(store.originals))
		}
	}
}

// What the door shows in parts is no place to read a repeat from.
func TestARepeatOfAnOversizedOutputIsShortenedLikeIt(t *testing.T) {
	e := New(
		Options{
			Policy:  settings.Policy{Trigger: 100_000, Target: 50_000, Ingest: 300},
			Counter: byBytes,
			Store:   newMemStore(),
		},
	)
	msgs := readAgain(2, 10)
	msgs[2] = strings.Replace(msgs[2], "a line", strings.Repeat("a long line ", 100), 1)
	msgs[4] = strings.Replace(msgs[4], "a line", strings.Repeat("a long line ", 100), 1)
	if out := e.Compact(t.Context(), parse(t, body(msgs)), "ann").Body; strings.Contains(
		string(out),
		"Word for word",
	) {
		t.Error("it is said to stand before, where only parts of it do")
	}
}
