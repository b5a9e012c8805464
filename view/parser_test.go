package view_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"killick/chat"
	"killick/internal/viewtest"
	"killick/view"
)

func TestParserAgreesWithParse(t *testing.T) {
	p := view.Parser{MaxBytes: 500 << 10}
	opening := `{"model":"m","messages":[{"role":"system","content":"` + strings.Repeat("s", 5000) +
		`"}`
	// Three conversations with one opening, interleaved and growing; one is cut back and continues
	// differently.
	bodies := make([]string, 3)
	for i := range bodies {
		bodies[i] = opening
	}
	for turn := range 60 {
		for i := range bodies {
			bodies[i] += fmt.Sprintf(`, {"role":"user","content":"turn %d of %d"}`, turn, i)
			if turn == 30 && i == 1 {
				bodies[i] = opening + `,{"role":"user","content":"anew"}`
			}
			body := []byte(bodies[i] + fmt.Sprintf(`],"n":%d}`, turn))
			for range 2 { // sent twice
				got, err := p.Parse(chat.Format, "ann", body)
				if err != nil {
					t.Fatal(err)
				}
				want, err := chat.Parse(body)
				if err != nil {
					t.Fatal(err)
				}
				viewtest.SameView(t, got, want)
			}
			if _, err := p.Parse(chat.Format, "ann", body[:len(body)-1]); err == nil {
				t.Fatal("a torn body was taken")
			}
		}
	}
	if n := p.Bytes(); n > 500<<10 || n <= 0 {
		t.Errorf("%d bytes are remembered, want at most 500 KB", n)
	}
	for _, n := range p.Branches() {
		if n > view.MaxBranches {
			t.Errorf("%d branches, want at most %d", n, view.MaxBranches)
		}
	}
}

// A conversation is recognized up to its first changed message, for example where cache marks move,
// whatever changes before it.
func TestParserResumes(t *testing.T) {
	message := func(i int, mark string) string {
		return fmt.Sprintf(`{"role":"user","content":"message %d %s"%s}`, i,
			strings.Repeat("x", 300), mark)
	}
	body := func(system string, n int, marked bool) []byte {
		b := `{"model":"m","messages":[{"role":"system","content":"` + system + `"}`
		for i := range n {
			mark := ""
			if marked && i == n-1 {
				mark = `,"cache_control":{}`
			}
			b += "," + message(i, mark)
		}
		return []byte(b + "]}")
	}
	for name, c := range map[string]struct {
		first, second []byte
		want          int
	}{
		"one more":          {body("s", 40, false), body("s", 41, false), 40},
		"the clock went on": {body("at 9:59", 40, false), body("at 10:00 ", 41, false), 40},
		"sent again":        {body("s", 40, false), body("s", 40, false), 40},
		"the mark moved":    {body("s", 40, true), body("s", 42, true), 39},
		"another beginning": {body("s", 40, false),
			[]byte(strings.Replace(string(body("s", 41, false)), "message 0", "nothing", 1)), 0},
		"a message left out": {body("s", 40, false),
			[]byte(strings.Replace(string(body("s", 41, false)), ","+message(36, ""), "", 1)), 36},
		"the last taken back": {body("s", 40, false), body("s", 39, false), 39},
	} {
		var p view.Parser
		one, err := p.Parse(chat.Format, "ann", c.first)
		if err != nil {
			t.Fatal(err)
		}
		one.Memory().Store("what", "kept", 40, 4)
		two, err := p.Parse(chat.Format, "ann", c.second)
		if err != nil {
			t.Fatal(err)
		}
		want, err := chat.Parse(c.second)
		if err != nil {
			t.Fatal(err)
		}
		viewtest.SameView(t, two, want)
		if value, n := two.Memory().Load("what"); n != c.want || c.want > 0 && value != "kept" {
			t.Errorf("%s: what was kept holds for %d messages, want %d", name, n, c.want)
		}
	}
}

// A branch in the middle of a conversation does not change what is known of the conversation, which
// then goes on.
func TestBranchesDoNotChangeOneAnother(t *testing.T) {
	var p view.Parser
	check := func(body string) {
		t.Helper()
		got, err := p.Parse(chat.Format, "ann", []byte(body+"]}"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := chat.Parse([]byte(body + "]}"))
		if err != nil {
			t.Fatal(err)
		}
		viewtest.SameView(t, got, want)
	}
	turns := func(from, to int, name string) (body string) {
		for i := from; i < to; i++ {
			body += fmt.Sprintf(`,{"role":"user","content":"%s %d"}`, name, i) +
				`,{"role":"assistant","name":"` + name + `","content":"` +
				strings.Repeat(name, i) + `"}`
		}
		return body
	}
	first := `{"model":"m","messages":[{"role":"system","content":"` + strings.Repeat("s", 5000) +
		`"}` + turns(0, 30, "first")
	check(first)
	for at := 1; at < 25; at += 4 {
		shared, _, _ := strings.Cut(first, fmt.Sprintf(`,{"role":"user","content":"first %d"`, at))
		check(shared + turns(at, at+10, "another"))
		check(first + turns(30, 32, "first"))
	}
}

// Values of one branch are not used for messages of another.
func TestMemoryOfBranches(t *testing.T) {
	p := view.Parser{MinBytes: 1}
	parse := func(messages ...string) *view.Request {
		t.Helper()
		b := `{"messages":[`
		for i, m := range messages {
			b += strings.Repeat(",", min(i, 1)) + `{"role":"user","content":"` + m + `"}`
		}
		r, err := p.Parse(chat.Format, "ann", []byte(b+"]}"))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	parse("a", "b", "c", "d").Memory().Store("k", "of a b c d", 4, 1)
	parse("a", "b", "C", "D") // keeps nothing of its own
	if value, n := parse("a", "b", "C", "D", "e").Memory().Load("k"); value != "of a b c d" ||
		n != 2 {
		t.Errorf("%v holds for %d messages, want what was kept of the first branch for 2", value, n)
	}
}

func TestParserForgetsTheLeastRecentlyUsed(t *testing.T) {
	p := view.Parser{MaxBytes: 64 << 10}
	opened := func(i int) []byte {
		return fmt.Appendf(nil, `{"messages":[{"role":"user","content":"%d %s"}]}`, i,
			strings.Repeat("x", 5000))
	}
	for i := range 100 {
		for _, n := range []int{0, i} { // the first is used repeatedly
			r, err := p.Parse(chat.Format, "ann", opened(n))
			if err != nil {
				t.Fatal(err)
			}
			r.Memory().Store("k", n, 1, 4<<10)
		}
		if n := p.Bytes(); n > 64<<10 {
			t.Fatalf("%d bytes are remembered, want at most 64 KB", n)
		}
	}
	for i, want := range map[int]int{0: 1, 50: 0, 99: 1} {
		r, err := p.Parse(chat.Format, "ann", opened(i))
		if err != nil {
			t.Fatal(err)
		}
		if _, n := r.Memory().Load("k"); n != want {
			t.Errorf("conversation %d: what was kept holds for %d messages, want %d", i, n, want)
		}
	}
}

// A conversation that a longer one replaced is not held by it.
func TestReplacedConversationsAreFreed(t *testing.T) {
	var p view.Parser
	body := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("x", 5000) + `"}`
	parse := func() {
		body += `,{"role":"user","content":"go on"}`
		if _, err := p.Parse(chat.Format, "ann", []byte(body+"]}")); err != nil {
			t.Fatal(err)
		}
	}
	parse()
	first := weak.Make(p.Latest())
	parse()
	parse()
	for range 10 {
		if runtime.GC(); first.Value() == nil {
			break
		}
	}
	if first.Value() != nil {
		t.Error("the first conversation is still in memory")
	}
	runtime.KeepAlive(&p)
}

func TestParserScopesShareNothing(t *testing.T) {
	var p view.Parser
	body := viewtest.History(8 << 10)
	for _, scope := range []string{"ann", "bob"} {
		if _, err := p.Parse(chat.Format, scope, body); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(p.Branches()); n != 2 {
		t.Errorf("%d conversations are known, want one for each scope", n)
	}
}

func BenchmarkParserNewMessage(b *testing.B) {
	var p view.Parser
	body := viewtest.History(1 << 20)
	if _, err := p.Parse(chat.Format, "ann", body); err != nil {
		b.Fatal(err)
	}
	next := append(bytes.TrimSuffix(body, []byte("]}")),
		`,{"role":"user","content":"one more"}]}`...)
	first := p.Latest()
	b.SetBytes(int64(len(next)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Parse(chat.Format, "ann", next); err != nil {
			b.Fatal(err)
		}
		// Back to the previous turn.
		p.PutBack(first)
	}
}

// The part that branches of one conversation share is hashed once, however many there are.
func TestBranchesAreHashedOnce(t *testing.T) {
	var p view.Parser
	body := bytes.TrimSuffix(viewtest.History(256<<10), []byte("]}"))
	branch := func(i int) []byte {
		more := fmt.Sprintf(`,{"role":"user","content":"branch %d"}`, i)
		return append(bytes.Clone(body), strings.Repeat(more, 2*view.NearAnchors)+"]}"...)
	}
	for i := range view.MaxBranches {
		if _, err := p.Parse(chat.Format, "ann", branch(i)); err != nil {
			t.Fatal(err)
		}
	}
	req, err := chat.Parse(branch(0))
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for req.Messages()[at].Role().Instructs() {
		at++
	}
	sum, branches := p.HashedFor("ann", req, at)
	if branches < view.MaxBranches/2 {
		t.Fatalf("%d branches are told apart: nothing is shown", branches)
	}
	if sum > 2*len(req.Raw()) {
		t.Errorf("%d bytes were hashed of a body of %d", sum, len(req.Raw()))
	}
}

// The total size stays right if all is forgotten while a request is being parsed.
func TestDeletionDuringARequest(t *testing.T) {
	var p view.Parser
	old, err := p.Parse(chat.Format, "ann", viewtest.History(64<<10))
	if err != nil {
		t.Fatal(err)
	}
	known := p.Latest()
	p.Forget("")
	if _, err := p.Parse(chat.Format, "bob", viewtest.History(8<<10)); err != nil {
		t.Fatal(err)
	}
	before := p.Bytes()
	old.Memory().Store("late", "value", 1, 1<<20)
	p.PutInPlaceOfItself(known)
	if n, sum := p.Bytes(), p.Counted(); n != sum || before <= 0 {
		t.Errorf("%d bytes are accounted for, %d are known; %d before", n, sum, before)
	}
}

// Forgetting one scope leaves the others.
func TestForgettingOneScope(t *testing.T) {
	var p view.Parser
	parse := func(scope string) *view.Request {
		r, err := p.Parse(chat.Format, scope, viewtest.History(8<<10))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, scope := range []string{"ann", "bob", "x\x00ann"} {
		parse(scope).Memory().Store("key", scope, 1, 1)
	}
	p.Forget("ann")
	for scope, want := range map[string]any{"ann": nil, "bob": "bob", "x\x00ann": "x\x00ann"} {
		if got, _ := parse(scope).Memory().Load("key"); got != want {
			t.Errorf("of %q %v is remembered, want %v", scope, got, want)
		}
	}
	if n, sum := p.Bytes(), p.Counted(); n != sum {
		t.Errorf("%d bytes are accounted for, %d are known", n, sum)
	}
}

// One conversation of very many messages does not evict all others.
func TestAHugeConversationIsNotRemembered(t *testing.T) {
	p := view.Parser{MaxBytes: 1 << 20}
	if _, err := p.Parse(chat.Format, "ann", viewtest.History(8<<10)); err != nil {
		t.Fatal(err)
	}
	before := p.Bytes()
	many := `{"messages":[{"role":"user","content":"x"}` + strings.Repeat(`,{}`, 50_000) + `]}`
	if _, err := p.Parse(chat.Format, "mallory", []byte(many)); err != nil {
		t.Fatal(err)
	}
	if n := p.Bytes(); n != before || before <= 0 {
		t.Errorf("%d bytes are known, %d before the huge one", n, before)
	}
}

// The limit on messages holds for a known conversation that more instructions precede.
func TestMaxMessagesOfAKnownConversation(t *testing.T) {
	message := `,{"role":"user","content":"x"}`
	known := strings.Repeat(message, view.MaxMessages)[1:]
	p := &view.Parser{}
	if _, err := p.Parse(chat.Format, "", []byte(`{"messages":[`+known+`]}`)); err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"", message} {
		_, err := p.Parse(chat.Format, "",
			[]byte(`{"messages":[{"role":"system","content":"s"},`+known+more+`]}`))
		if !errors.Is(err, view.ErrTooMany) {
			t.Errorf("%d messages more: %v, want ErrTooMany", 1+len(more)/len(message), err)
		}
	}
}
