package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"killick/internal/upstreamtest"
)

// transcript is one real conversation.
type transcript struct {
	ID       string            `json:"id"`
	Tools    json.RawMessage   `json:"tools"`
	Messages []json.RawMessage `json:"messages"`
}

// body is the request that holds the first n messages.
func (tr *transcript) body(n int) []byte {
	b := []byte(`{"model":"gpt-4o","temperature":0.70,`)
	if len(tr.Tools) > 0 {
		b = append(append(append(b, `"tools":`...), tr.Tools...), ',')
	}
	b = append(b, `"messages":[`...)
	for i, m := range tr.Messages[:n] {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, m...)
	}
	return append(b, `]}`...)
}

func (tr *transcript) assistant(i int) bool {
	var m struct{ Role string }
	return json.Unmarshal(tr.Messages[i], &m) == nil && m.Role == "assistant"
}

// realTranscripts reads the folder of real conversations, beside the repository
// or where KILLICK_DATA says.
func realTranscripts(t *testing.T) (all []*transcript) {
	t.Helper()
	dir := os.Getenv("KILLICK_DATA")
	if dir == "" {
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for ; dir == "" && here != filepath.Dir(here); here = filepath.Dir(here) {
			if found := filepath.Join(here, "shared", "data"); exists(found) {
				dir = found
			}
		}
	}
	if dir == "" {
		t.Skip("no folder shared/data beside the repository, and KILLICK_DATA is not set: real conversations are not replayed")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no .jsonl files in %s: %v", dir, err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			tr := &transcript{}
			if err := json.Unmarshal(lines.Bytes(), tr); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if len(tr.Messages) > 0 {
				all = append(all, tr)
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// replayed is what a replay came to.
type replayed struct {
	turns, over, changed int
	raw, sent            int // tokens of the turns past the trigger
}

func (r *replayed) add(o replayed) {
	r.turns += o.turns
	r.over += o.over
	r.changed += o.changed
	r.raw += o.raw
	r.sent += o.sent
}

// longTokens is what makes a conversation a long one.
const longTokens = 40_000

// Every real conversation, turn by turn, over HTTP, against an upstream that
// refuses broken tool pairs.
func TestRealConversations(t *testing.T) {
	all := realTranscripts(t)
	var mu sync.Mutex
	var long, short replayed
	t.Run("replay", func(t *testing.T) {
		for _, tr := range all {
			trigger, target, sums := Amount(2000), Amount(1000), &short
			if sum(first(countForUpstream(mustParse(t, tr.body(len(tr.Messages)))))) > longTokens {
				trigger, target, sums = 32000, 16000, &long
			}
			t.Run(tr.ID, func(t *testing.T) {
				t.Parallel()
				got := replayTurns(t, tr, trigger, target)
				mu.Lock()
				defer mu.Unlock()
				sums.add(got)
			})
		}
	})
	report := func(name string, r replayed) {
		t.Logf("%s: %d turns, %d past the trigger, %d of them changed; %d of %d tokens sent there, %.1f%%",
			name, r.turns, r.over, r.changed, r.sent, r.raw, 100*float64(r.sent)/float64(max(r.raw, 1)))
	}
	report("long, 32000 to 16000", long)
	report("short, 2000 to 1000", short)
	if long.over > 0 && long.sent*100 > long.raw*45 {
		t.Errorf("past the trigger %d of %d tokens were sent, want at most 45%%", long.sent, long.raw)
	}
	if short.changed == 0 {
		t.Error("no short conversation was ever compacted")
	}
}

func first(perMessage []int, fixed int) []int { return append(perMessage, fixed) }

func replayTurns(t *testing.T, tr *transcript, trigger, target Amount) (r replayed) {
	g := newGateway(t, upstreamtest.Config{}, between(trigger, target))
	for i := 1; i <= len(tr.Messages); i++ {
		if i < len(tr.Messages) && !tr.assistant(i) {
			continue
		}
		r.turns++
		if raceEnabled && r.turns%raceSample != 0 && i < len(tr.Messages) {
			continue
		}
		in := tr.body(i)
		f := g.chat(t, "key", in)
		if f.status != 200 {
			t.Fatalf("turn %d: status %d: %.300s", i, f.status, f.reply)
		}
		for _, breach := range breaches(in, f.body) {
			t.Errorf("turn %d: %s", i, breach)
		}
		raw, sent := tokensHeader(t, f.header.Get("Killick-Tokens"))
		if raw > int(trigger) {
			r.over++
			r.raw += raw
			r.sent += sent
			if !bytes.Equal(in, f.body) {
				r.changed++
			}
		} else if !bytes.Equal(in, f.body) {
			t.Errorf("turn %d: changed though %d tokens are under the trigger", i, raw)
		}
		if counted := sum(first(countForUpstream(mustParse(t, f.body)))); sent != 0 && counted != sent {
			t.Errorf("turn %d: says that %d tokens were sent, the upstream counts %d", i, sent, counted)
		}
		if i%7 == 0 && !bytes.Equal(g.chat(t, "key", in).body, f.body) {
			t.Errorf("turn %d: sent twice, other bytes were forwarded", i)
		}
	}
	return r
}

// tokensHeader reads "raw=12, sent=10". raw is left out when nothing was
// counted.
func tokensHeader(t *testing.T, header string) (raw, sent int) {
	t.Helper()
	for _, field := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		n, err := strconv.Atoi(value)
		if err != nil && header != "" {
			t.Fatalf("Killick-Tokens: %q: %v", header, err)
		}
		switch name {
		case "raw":
			raw = n
		case "sent":
			sent = n
		}
	}
	return raw, sent
}
