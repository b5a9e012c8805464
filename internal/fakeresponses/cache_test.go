package fakeresponses

import (
	"fmt"
	"testing"
	"time"
)

// cached asks for a response, and returns how many tokens were read from the cache and written.
func cached(t *testing.T, s *Server, body string, header ...string) (read, written int) {
	t.Helper()
	details := accepted(t, s, body, header...).Object("usage").Object("input_tokens_details")
	return details.int("cached_tokens"), details.int("cache_write_tokens")
}

// marked is a message of the user with a breakpoint at its end.
func marked(text, ttl string) string {
	mark := Object{"mode": "explicit"}
	if ttl != "" {
		mark["ttl"] = ttl
	}
	return canonical(Object{"role": "user", "content": []any{Object{"type": "input_text",
		"text": text, "prompt_cache_breakpoint": mark}}})
}

// hundreds is a message of 100 tokens, with what each item costs.
func hundreds(i int) string { return user(fmt.Sprintf("%-384d", i)) }

func TestLongestPrefixIsCached(t *testing.T) {
	s := start(t, Config{Record: true})
	var items []string
	for i := range 20 {
		items = append(items, hundreds(i))
	}
	if read, written := cached(t, s, with(items[:15])); read != 0 || written != 1408 {
		t.Errorf("first: %d read and %d written, want none and 11 steps of 128", read, written)
	}
	if read, written := cached(t, s, with(items)); read != 1408 || written != 512 {
		t.Errorf("second: %d read and %d written, want 1408 and 512", read, written)
	}
	changed := append(append([]string{}, items[:12]...), hundreds(99), items[13])
	if read, _ := cached(t, s, with(changed)); read != 1152 {
		t.Errorf("with another item: %d read, want 9 steps of 1200 tokens", read)
	}
	short := append(append([]string{}, items[:9]...), hundreds(98))
	if read, _ := cached(t, s, with(short)); read != 0 {
		t.Errorf("900 tokens in common: %d read, want none below 1024", read)
	}
	for i, r := range s.Requests() {
		if r.LongestPrefix != r.Usage.Cached {
			t.Errorf("request %d: longest prefix %d, %d read; want the same", i, r.LongestPrefix,
				r.Usage.Cached)
		}
	}
}

func TestCacheIsKeyed(t *testing.T) {
	items := list(user(long(3000)))
	for name, test := range map[string]struct {
		members, header []string
		hit             bool
	}{
		"the same":             {nil, nil, true},
		"an id and a status":   {list(`"store":false`), nil, true},
		"another organization": {nil, []string{"Authorization", "Bearer two"}, false},
		"another key":          {list(`"prompt_cache_key":"k"`), nil, false},
		"other tools":          {list(`"tools":[{"type":"web_search"}]`), nil, false},
		"another format":       {list(`"text":{"format":{"type":"json_object"}}`), nil, false},
		"another verbosity":    {list(`"text":{"verbosity":"low"}`), nil, false},
		"another effort":       {list(`"reasoning":{"effort":"low"}`), nil, false},
		"other instructions":   {list(`"instructions":"x"`), nil, false},
		"another service tier": {list(`"service_tier":"flex"`), nil, false},
	} {
		s := start(t, Config{})
		cached(t, s, with(items), "Authorization", "Bearer one")
		header := test.header
		if header == nil {
			header = []string{"Authorization", "Bearer one"}
		}
		if read, _ := cached(t, s, with(items, test.members...), header...); read > 0 != test.hit {
			t.Errorf("%s: %d tokens read, want a hit: %v", name, read, test.hit)
		}
	}
}

func TestSpellingIsNotCached(t *testing.T) {
	s := start(t, Config{})
	text := long(3000)
	cached(t, s, with(list(user(text))))
	for name, same := range map[string]string{
		"a string":  `{"content":"` + text + `","role":"user"}`,
		"with ids":  `{"id":"msg_1","status":"completed","role":"user","content":"` + text + `"}`,
		"with mark": marked(text, ""),
	} {
		if read, _ := cached(t, s, with(list(same))); read != 2944 {
			t.Errorf("%s: %d tokens read, want 2944", name, read)
		}
	}
	if read, _ := cached(t, s, `{"model":"gpt-6.1","input":"`+text+`"}`); read != 2944 {
		t.Errorf("as a string: %d tokens read, want 2944", read)
	}
}

func TestCacheEnds(t *testing.T) {
	for _, test := range []struct {
		members string
		keeps   time.Duration
	}{
		{`"store":true`, 24 * time.Hour},
		{`"prompt_cache_retention":"in_memory"`, 10 * time.Minute},
		{`"prompt_cache_options":{"mode":"explicit"}`, 30 * time.Minute},
		{`"prompt_cache_options":{"mode":"explicit","ttl":"12h"}`, 12 * time.Hour},
	} {
		c := newClock()
		s := start(t, Config{Now: c.time})
		body := with(list(marked(long(3000), "")), test.members)
		cached(t, s, body)
		c.add(test.keeps - time.Second)
		if read, _ := cached(t, s, body); read == 0 {
			t.Errorf("%s: nothing read before its end", test.members)
		}
		c.add(test.keeps) // the last use made it last longer, up to now
		if read, _ := cached(t, s, body); read != 0 {
			t.Errorf("%s: %d tokens read at its end, want none", test.members, read)
		}
	}
}

func TestUseMakesBreakpointsLast(t *testing.T) {
	c := newClock()
	s := start(t, Config{Now: c.time})
	items := list(marked(long(3000), ""))
	cached(t, s, with(items, explicitMode))
	c.add(20 * time.Minute)
	for i := range 4 { // so that the first is read, and not written again
		items = append(items, marked(fmt.Sprint(i), ""))
	}
	if read, _ := cached(t, s, with(items, explicitMode)); read != 3004 {
		t.Fatalf("%d read, want 3004 up to the first mark", read)
	}
	c.add(20 * time.Minute)
	if read, _ := cached(t, s, with(items[:1], explicitMode)); read != 3004 {
		t.Errorf("%d read 20 minutes after the last use, want 3004", read)
	}
}

const explicitMode = `"prompt_cache_options":{"mode":"explicit"}`

func TestExplicitBreakpoints(t *testing.T) {
	s := start(t, Config{Record: true})
	first := list(marked(long(2000), ""), user(long(500)))
	if read, written := cached(t, s, with(first, explicitMode)); read != 0 || written != 2004 {
		t.Errorf("first: %d read, %d written, want 2004 written, up to the mark", read, written)
	}
	next := append(append([]string{}, first...), marked(long(300), ""))
	if read, written := cached(t, s, with(next, explicitMode)); read != 2004 || written != 808 {
		t.Errorf("next: %d read, %d written, want 2004 and 808, not rounded", read, written)
	}
	// A longer prefix is known, but its mark has gone: there is no fallback to what has none.
	plain := list(user(long(2000)), user(long(500)), user("x"))
	if read, written := cached(t, s, with(plain, explicitMode)); read != 0 || written != 0 {
		t.Errorf("without marks: %d read, %d written, want none", read, written)
	}
	other := list(user(long(2000)), marked(long(500), ""))
	if read, written := cached(t, s, with(other, explicitMode)); read != 0 || written != 2508 {
		t.Errorf("a mark elsewhere: %d read, %d written, want 2508 written", read, written)
	}
	if r := s.Requests()[2]; r.LongestPrefix != 2432 || r.Usage.Cached != 0 {
		t.Errorf("longest prefix %d, %d read; want 2432 and none", r.LongestPrefix, r.Usage.Cached)
	}
}

func TestMarksInsideItems(t *testing.T) {
	s := start(t, Config{})
	message := func(last string) string {
		return canonical(Object{"role": "developer", "content": []any{
			Object{"type": "input_text", "text": long(2000),
				"prompt_cache_breakpoint": Object{"mode": "explicit"}},
			Object{"type": "input_text", "text": last}}})
	}
	output := func(text string) []string {
		return list(call("a"), canonical(Object{"type": "function_call_output", "call_id": "a",
			"output": []any{Object{"type": "input_text", "text": text,
				"prompt_cache_breakpoint": Object{"mode": "explicit"}}}}))
	}
	cached(t, s, with(list(message("one"), user("x")), explicitMode))
	if read, _ := cached(t, s, with(list(message("two"), user("x")), explicitMode)); read != 2004 {
		t.Errorf("%d read, want 2004 up to the mark inside the message", read)
	}
	items := output(long(3000))
	cached(t, s, with(items, explicitMode))
	if read, _ := cached(t, s, with(append(items, user("x")), explicitMode)); read < 3000 {
		t.Errorf("%d read, want 3000 and more up to the mark of the output", read)
	}
}

func TestOnlyTheLatestBreakpoints(t *testing.T) {
	s := start(t, Config{})
	var marks []string
	for i := range 6 {
		marks = append(marks, marked(fmt.Sprintf("%d %s", i, long(2000)), ""))
	}
	cached(t, s, with(marks, explicitMode))
	if read, _ := cached(t, s, with(marks[:2], explicitMode)); read != 0 {
		t.Errorf("%d read at the fifth mark from the end, want only four written", read)
	}
	if read, _ := cached(t, s, with(marks[:3], explicitMode)); read == 0 {
		t.Error("nothing read at the fourth mark from the end")
	}
	// With 79 newer marks it is still looked up, with 80 no more.
	first := start(t, Config{})
	cached(t, first, with(marks[:1], explicitMode))
	many := append([]string{}, marks[0])
	for i := range 79 {
		many = append(many, marked(fmt.Sprint(i), ""))
	}
	if read, _ := cached(t, first, with(many, explicitMode)); read == 0 {
		t.Error("nothing read at the 80th mark from the end")
	}
	first.cache.init()
	cached(t, first, with(marks[:1], explicitMode))
	many = append(many, marked("one more", ""))
	if read, _ := cached(t, first, with(many, explicitMode)); read != 0 {
		t.Errorf("%d read at the 81st mark from the end, want none", read)
	}
}

func TestServersOwnBreakpoint(t *testing.T) {
	s := start(t, Config{Breakpoints: true, Record: true})
	prefix := `{"role":"developer","content":"` + long(9000) + `"}`
	cached(t, s, with(list(prefix, user("one"))))
	// A stable prefix without a mark and another last message: nothing (openai/codex#35300).
	if read, _ := cached(t, s, with(list(prefix, user("two")))); read != 0 {
		t.Errorf("%d read with another last message, want none", read)
	}
	if r := s.Requests()[1]; r.LongestPrefix < 8900 {
		t.Errorf("longest prefix %d, want the developer's message", r.LongestPrefix)
	}
	// A conversation that grows reads what the last request wrote.
	grown := list(prefix, user("one"), assistant("yes"), user("three"))
	if read, _ := cached(t, s, with(grown)); read < 9000 {
		t.Errorf("%d read in a growing conversation, want 9000 and more", read)
	}
	grown = append(grown, call("a"), result("a", "x"))
	cached(t, s, with(grown))
	if read, _ := cached(t, s, with(append(grown, assistant("y"), user("z")))); read < 9030 {
		t.Errorf("%d read after the output of a tool, want 9030 and more", read)
	}
	// Three marks and its own are written.
	var marks []string
	for i := range 5 {
		marks = append(marks, marked(fmt.Sprintf("%d %s", i, long(2000)), ""))
	}
	for i, hit := range []bool{false, false, true, true, true} {
		s.cache.init()
		cached(t, s, with(append(marks, user("last"))))
		if read, _ := cached(t, s, with(marks[:i+1], explicitMode)); read > 0 != hit {
			t.Errorf("mark %d: %d read, want a hit: %v", i+1, read, hit)
		}
	}
}

func TestWrittenByLifetime(t *testing.T) {
	s := start(t, Config{})
	body := accepted(t, s, with(list(marked(long(2000), "12h"), marked(long(1000), "")),
		explicitMode))
	details := body.Object("usage").Object("input_tokens_details")
	by := details.Object("cache_write_tokens_details")
	if by.int("ttl_12h_tokens") != 2004 || by.int("ttl_30m_tokens") != 1004 ||
		details.int("cache_write_tokens") != 3008 {
		t.Errorf("written %v, want 2004 for 12 hours and 1004 for 30 minutes", details)
	}
}

func TestRefusedRequestsAreNotCached(t *testing.T) {
	s := start(t, Config{Window: 4000})
	if g := ask(t, s, with(list(user(long(3000)), user(long(3000))))); g.status != 400 {
		t.Fatalf("status %d, want 400", g.status)
	}
	if read, _ := cached(t, s, with(list(user(long(3000))))); read != 0 {
		t.Errorf("%d tokens read, want none", read)
	}
}
