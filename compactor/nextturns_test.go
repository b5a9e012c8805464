package compactor

import (
	"strings"
	"testing"

	"killick/chat"
)

func TestNeededLines(t *testing.T) {
	replaced := messages(t,
		`{"role":"user","content":"The database is at db-7.example.com."}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"write","arguments":"{\"path\":\"src/pool_config.go\",\"text\":\"maxConns: 40\"}"}}]}`,
		`{"role":"tool","tool_call_id":"a","content":"first line\nuser_id = acct_88213 is the test account\nretryLimit is 3\nnot used: otherValue"}`)
	after := messages(t,
		`{"role":"assistant","content":"Now retryLimit, seenInTail and unheardOf.","tool_calls":[{"id":"b","type":"function","function":{"name":"run","arguments":"{\"command\":\"login acct_88213 newInTail\"}"}}]}`,
		`{"role":"tool","tool_call_id":"b","content":"otherValue"}`,
		`{"role":"assistant","content":"otherValue came from the output. src/pool_config.go is next."}`)
	got := neededLines(replaced, after, "The record tells retryLimit.")
	want := []string{`{"path":"src/pool_config.go","text":"maxConns: 40"}`, "user_id = acct_88213 is the test account"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := neededLines(replaced, nil, ""); got != nil {
		t.Errorf("without turns: %q", got)
	}
}

func TestNeededLinesAreBounded(t *testing.T) {
	var source, used strings.Builder
	for i := range 2000 {
		word := "valueOf" + strings.Repeat("X", 3) + string(rune('a'+i%26)) + strings.Repeat("Y", i/26)
		source.WriteString(strings.Repeat("padding ", 200) + word + " is é\U0001F600 " + strings.Repeat("padding ", 200) + "\n")
		used.WriteString(word + " ")
	}
	msg := func(role, text string) chat.Message {
		return *message(t, `{"role":"`+role+`","content":`+string(chat.AppendQuoted(nil, text))+`}`)
	}
	got := neededLines([]chat.Message{msg("user", source.String())}, []chat.Message{msg("assistant", used.String())}, "")
	size := 0
	for _, line := range got {
		size += len(line)
		if !strings.Contains(line, "valueOf") || len(line) > maxNeededLine {
			t.Errorf("line %q", line)
		}
	}
	if len(got) == 0 || len(got) > maxNeeded || size > maxNeededBytes {
		t.Errorf("%d lines of %d bytes", len(got), size)
	}
}
