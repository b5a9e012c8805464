package compactor

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"killick/compactor/settings"
)

func TestOpenCallsAndNewResultsStay(t *testing.T) {
	msgs := session(2, 40)
	msgs = append(
		msgs,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"open1","type":"function",`+
			`"function":{"name":"read","arguments":"{}"}},{"id":"open2","type":"function",`+
			`"function":{"name":"read","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":"open1","content":"`+
			strings.Repeat("fresh output ", 900)+`"}`,
	)
	in := body(msgs)
	res := newEngine(newMemStore()).Compact(t.Context(), parse(t, in), "ann")
	if !res.Folded {
		t.Error("nothing was folded")
	}
	if !bytes.Contains(res.Body, []byte(msgs[len(msgs)-1])) ||
		!bytes.Contains(res.Body, []byte(msgs[len(msgs)-2])) {
		t.Error("an open call or the output that the model has not seen was touched")
	}
}

func TestWhatWasFetchedAgainIsNotMaskedAgain(t *testing.T) {
	read := func(id, path string) []string {
		return []string{
			`{"role":"assistant","content":null,` +
				`"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"read",` +
				`"arguments":"{\"path\":\"` + path + `\"}"}}]}`,
			`{"role":"tool","tool_call_id":"` + id + `","content":"` +
				strings.Repeat(path+" says a lot ", 400) + `"}`,
		}
	}
	msgs := talk()
	for i := range 8 {
		msgs = append(msgs, read(fmt.Sprint("a", i), fmt.Sprintf("file%d.go", i))...)
	}
	msgs = append(msgs, read("again", "file0.go")...)
	again := msgs[len(msgs)-1]
	for i := range 12 {
		msgs = append(msgs, read(fmt.Sprint("b", i), fmt.Sprintf("more%d.go", i))...)
	}
	policy := settings.Policy{Trigger: 14_000, Target: 8000, Protect: 0.1}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	masked := false
	turns(t, msgs, func(n int) {
		res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		masked = masked || bytes.Contains(res.Body, []byte("tokens from read(file0.go)"))
		if n > 80 && !res.Folded && !bytes.Contains(res.Body, []byte(again)) {
			t.Errorf("turn %d: what was fetched again is masked", n)
		}
	})
	if !masked {
		t.Error("the first output was never masked: nothing is shown")
	}
}

func TestExcludedToolsStayWhole(t *testing.T) {
	policy := small
	policy.ExcludeTools = []string{"re*"}
	msgs := session(4, 60)
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	turns(t, msgs, func(n int) {
		res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		if bytes.Contains(res.Body, []byte("tokens from read(")) {
			t.Fatalf("turn %d: an output of an excluded tool was masked", n)
		}
	})
}

// talk returns a conversation that has gone on for a while without calls, and pays for masks.
func talk() []string {
	msgs := []string{`{"role":"user","content":"look around"}`}
	for range 30 {
		msgs = append(msgs, `{"role":"assistant","content":"yes?"}`,
			`{"role":"user","content":"go on"}`)
	}
	return msgs
}

// An output that was truncated when it arrived is masked as it came: what we wrote into it, its
// handle and the marks of gaps, is not what it named or said.
func TestTruncatedOutputsAreMaskedAsTheyCame(t *testing.T) {
	msgs := talk()
	for i := range 40 {
		id := fmt.Sprint("a", i)
		msgs = append(msgs, `{"role":"assistant","content":null,"tool_calls":[{"id":"`+id+
			`","type":"function","function":{"name":"bash","arguments":"{\"command\":\"cat `+id+
			`.js\"}"}}]}`, `{"role":"tool","tool_call_id":"`+id+`","content":"`+
			strings.Repeat("x", 6000)+`"}`)
	}
	policy := settings.Policy{Trigger: 14_000, Target: 8000, TruncateOver: 900, Protect: 0.1}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	masked := false
	turns(t, msgs, func(n int) {
		got := string(e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann").Body)
		for _, part := range strings.Split(got, "[Output masked")[1:] {
			masked = true
			if text, _, _ := strings.Cut(part, "]"); strings.Contains(text, "It named") ||
				strings.Contains(text, "left out") {
				t.Fatalf("turn %d: [Output masked%s]", n, text)
			}
		}
	})
	if !masked {
		t.Error("nothing was masked: nothing is shown")
	}
}

// A placeholder quotes what a command printed, without what its agent put around that.
func TestMasksQuoteWhatWasPrinted(t *testing.T) {
	msgs := talk()
	for i := range 40 {
		id := fmt.Sprint("a", i)
		msgs = append(msgs, `{"role":"assistant","content":null,"tool_calls":[{"id":"`+id+
			`","type":"function","function":{"name":"execute_bash","arguments":"{\"command\":\"`+
			`make `+id+`\"}"}}]}`, `{"role":"tool","tool_call_id":"`+id+`","content":"`+
			strings.Repeat("x ", 1500)+`\n9 of 9 done\n[The command completed with exit code 0.]`+
			`\n[Current working directory: /srv/bakery]\n[Command finished with exit code 0]"}`)
	}
	policy := settings.Policy{Trigger: 14_000, Target: 8000, Protect: 0.1}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	masked := false
	turns(t, msgs, func(n int) {
		got := string(e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann").Body)
		for _, part := range strings.Split(got, "[Output masked")[1:] {
			masked = true
			if text, _, _ := strings.Cut(part, `"}`); !strings.HasSuffix(text,
				"It said: 9 of 9 done]") {
				t.Fatal(text)
			}
		}
	})
	if !masked {
		t.Error("nothing was masked")
	}
}
