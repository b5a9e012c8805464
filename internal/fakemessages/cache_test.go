package fakemessages

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// hand is a clock that tests set.
type hand struct{ now time.Time }

func (h *hand) pass(d time.Duration) { h.now = h.now.Add(d) }

// cached runs a server whose blocks of text have a token for each byte.
func cached(t *testing.T, cfg Config) (*Server, *hand) {
	h := &hand{time.Unix(1_800_000_000, 0)}
	cfg.Now = func() time.Time { return h.now }
	cfg.Text = func(s string) int { return len(s) }
	cfg.Reply = func(*Request) Reply { return Reply{NoThinking: true} }
	return start(t, cfg), h
}

const five, hour = `,"cache_control":{"type":"ephemeral"}`,
	`,"cache_control":{"type":"ephemeral","ttl":"1h"}`

// part is a block of 996 tokens of text, 1,000 with what frames it, that begins with a name.
func part(name, mark string) string {
	return `{"type":"text","text":"` + name + strings.Repeat("x", 996-len(name)) + `"` + mark + `}`
}

func parts(from, to int, marked ...int) string {
	var all []string
	for i := from; i < to; i++ {
		mark := ""
		for _, m := range marked {
			if m == i {
				mark = five
			}
		}
		all = append(all, part(fmt.Sprint("part", i), mark))
	}
	return turnOf("user", all...)
}

func TestCacheByMarks(t *testing.T) {
	system := func(mark string) string { return `"system":[` + part("system", mark) + `]` }
	for _, test := range []struct {
		name          string
		first, second string
		read, write   int // by the second
		byPrefix      int
	}{
		{"the same again", bodyOf(newer, system(five), parts(0, 2)),
			bodyOf(newer, system(five), parts(0, 2)), 1008, 0, 3008},
		{"no marks", bodyOf(newer, system(""), parts(0, 2)), bodyOf(newer, system(""), parts(0, 2)),
			0, 0, 3008},
		{"grown, mark moved", bodyOf(newer, "", parts(0, 5, 4)), bodyOf(newer, "", parts(0, 9, 8)),
			5008, 4000, 5008},
		{"a mark looks back over 20 blocks", bodyOf(newer, "", parts(0, 5, 4)),
			bodyOf(newer, "", parts(0, 24, 23)), 5008, 19000, 5008},
		{"and no farther", bodyOf(newer, "", parts(0, 5, 4)), bodyOf(newer, "", parts(0, 25, 24)),
			0, 25008, 5008},
		{"a second mark reads", bodyOf(newer, "", parts(0, 5, 4)),
			bodyOf(newer, "", parts(0, 30, 14, 29)), 5008, 25000, 5008},
		{"written at marks alone", bodyOf(newer, "", parts(0, 9, 8)),
			bodyOf(newer, "", parts(0, 5, 4)), 0, 5008, 5008},
		{"changed before the mark", bodyOf(newer, "", parts(0, 5, 4)),
			bodyOf(newer, "", strings.Replace(parts(0, 5, 4), "part1", "trap1", 1)), 0, 5008, 1008},
		{"automatic", bodyOf(newer, `"cache_control":{"type":"ephemeral"}`, parts(0, 5)),
			bodyOf(newer, `"cache_control":{"type":"ephemeral"}`, parts(0, 8)), 5008, 3000, 5008},
		{"other tools", bodyOf(newer, system(five), hi),
			bodyOf(newer, tools+","+system(five), hi), 0, 1008 + 60, 0},
		{"another tool_choice keeps the system prompt",
			bodyOf(newer, system(five), parts(0, 2, 1)),
			bodyOf(newer, system(five)+`,"tool_choice":{"type":"none"}`, parts(0, 2, 1)),
			1008, 2000, 1008},
		{"other thinking keeps the system prompt", bodyOf(newer, system(five), parts(0, 2, 1)),
			bodyOf(newer, system(five)+`,"thinking":{"type":"disabled"}`, parts(0, 2, 1)),
			1008, 2000, 1008},
		{"the default of thinking", bodyOf(newer, system(five), parts(0, 2, 1)),
			bodyOf(newer, system(five)+`,"thinking":{"type":"adaptive"}`, parts(0, 2, 1)),
			3008, 0, 3008},
		{"an image keeps the system prompt", bodyOf(newer, system(five), parts(0, 2, 1)),
			bodyOf(newer, system(five), parts(0, 2, 1), turnOf("user", `{"type":"image","source":`+
				`{"type":"url","url":"https://example.com/i.png"}}`)), 1008, 2000, 1008},
		{"another model", bodyOf(newer, system(five), hi), bodyOf(checks, system(five), hi),
			0, 1008, 0},
		{"under the minimum", bodyOf("claude-opus-4-6", system(five), parts(0, 3, 2)),
			bodyOf("claude-opus-4-6", system(five), parts(0, 3, 2)), 0, 0, 0},
		{"over the minimum", bodyOf("claude-opus-4-6", system(five), parts(0, 4, 3)),
			bodyOf("claude-opus-4-6", system(five), parts(0, 4, 3)), 5008, 0, 5008},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := cached(t, Config{})
			if m := accepted(t, s, test.first); m.Usage.CacheReadTokens != 0 {
				t.Fatalf("first: %+v, want nothing read", m.Usage)
			}
			u := accepted(t, s, test.second).Usage
			write := u.CacheCreationTokens
			if test.name == "other tools" && write > 1008 {
				write = test.write // whatever a tool comes to
			}
			if u.CacheReadTokens != test.read || write != test.write ||
				u.CacheCreation.Tokens5m != u.CacheCreationTokens {
				t.Errorf("read %d, written %+v; want %d and %d", u.CacheReadTokens, u, test.read,
					test.write)
			}
			if got := s.Requests()[1].ByPrefix; got != test.byPrefix {
				t.Errorf("the longest prefix reads %d, want %d", got, test.byPrefix)
			}
			if got := s.Requests()[1].Usage; got.CacheReadTokens != test.read {
				t.Errorf("recorded %+v", got)
			}
		})
	}
}

func TestCacheCountsRunsOfCallsAsOne(t *testing.T) {
	turns := func(n int) []string {
		var callBlocks, resultBlocks []string
		for i := range n {
			id := fmt.Sprint("c", i)
			callBlocks = append(callBlocks, calls(id))
			resultBlocks = append(resultBlocks, results(id, "x"))
		}
		last := len(resultBlocks) - 1
		resultBlocks[last] = strings.Replace(resultBlocks[last], `"content"`,
			`"cache_control":{"type":"ephemeral"},"content"`, 1)
		return []string{turnOf("assistant", callBlocks...), turnOf("user", resultBlocks...)}
	}
	grown := append([]string{parts(0, 2)}, turns(16)...)
	for _, each := range []bool{false, true} {
		s, _ := cached(t, Config{CountsEveryBlock: each})
		accepted(t, s, bodyOf(newer, tools, parts(0, 2, 1)))
		u := accepted(t, s, bodyOf(newer, tools, grown...)).Usage
		if read := u.CacheReadTokens > 0; read == each {
			t.Errorf("counting each block: %v; %+v", each, u)
		}
	}
}

func TestCacheEntriesExpire(t *testing.T) {
	s, h := cached(t, Config{})
	mixed := bodyOf(newer, `"system":[`+part("system", hour)+`]`, parts(0, 2, 1))
	read := func(want int, key string) {
		t.Helper()
		if got := accepted(t, s, mixed, "X-Api-Key", key).Usage.CacheReadTokens; got != want {
			t.Errorf("%d read, want %d", got, want)
		}
	}
	u := accepted(t, s, mixed, "X-Api-Key", "one").Usage
	if u.CacheCreation.Tokens1h != 1008 || u.CacheCreation.Tokens5m != 2000 || u.InputTokens != 0 {
		t.Errorf("written %+v, want 1008 for an hour and 2000 for five minutes", u)
	}
	h.pass(4 * time.Minute)
	read(3008, "one") // and five minutes more
	h.pass(4 * time.Minute)
	read(3008, "one")
	h.pass(6 * time.Minute)
	read(1008, "one")
	h.pass(50 * time.Minute)
	read(1008, "one")
	h.pass(61 * time.Minute)
	read(0, "one")
	read(0, "two")
	s.Reset()
	read(0, "one")
}

func TestRefusedRequestsAreNotCached(t *testing.T) {
	s, _ := cached(t, Config{})
	marked := bodyOf(newer, `"tools":{}`, parts(0, 9, 2))
	if a := ask(t, s, marked); a.status != http.StatusBadRequest {
		t.Fatalf("%d %s, want 400", a.status, a.body)
	}
	if u := accepted(t, s, bodyOf(newer, "", parts(0, 3, 2))).Usage; u.CacheReadTokens != 0 {
		t.Errorf("%+v, want nothing read", u)
	}
}

// Thinking that older models strip from earlier turns is not part of what is cached.
func TestThinkingInTheCache(t *testing.T) {
	for _, test := range []struct {
		model string
		seen  bool
	}{{older, false}, {newer, true}} {
		s, _ := cached(t, Config{})
		rest := `"thinking":{"type":"adaptive","display":"summarized"}`
		if test.model == older {
			rest = `"thinking":{"type":"enabled","budget_tokens":1024}`
		}
		turn := signedTurn(t, s, bodyOf(test.model, rest, hi),
			Thinking(strings.Repeat("x", 500)), Text("ok"))
		u := accepted(t, s, bodyOf(test.model, rest, hi, turn, hi)).Usage
		if got := u.InputTokens > 500; got != test.seen {
			t.Errorf("%s: %+v, want thinking counted: %v", test.model, u, test.seen)
		}
	}
}

func TestNoTokensAreAskedFor(t *testing.T) {
	s, _ := cached(t, Config{})
	body := strings.Replace(bodyOf(newer, "", parts(0, 2, 1)), leading, `"max_tokens":0,`, 1)
	m := accepted(t, s, body)
	if len(m.Content) != 0 || m.Stop != "max_tokens" || m.Usage.OutputTokens != 0 ||
		m.Usage.CacheCreationTokens != 2008 {
		t.Errorf("%+v, want an empty answer that filled the cache", m)
	}
	refused(t, s, "max_tokens: Input should be greater than or equal to 0",
		strings.Replace(body, `"max_tokens":0`, `"max_tokens":-1`, 1))
}
