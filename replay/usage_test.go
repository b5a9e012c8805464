package replay

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"killick/chat"
	"killick/replay/billing"
	"killick/view"
)

// importer returns the conversation of testdata with its usage. In it the client shares a part of
// its tools with others, is idle for longer than the lifetime, loses its cache and compacts by
// itself.
func importer(t *testing.T) *Transcript {
	t.Helper()
	file := filepath.Join("testdata", "importer.jsonl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Read(file, strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.Open(filepath.Join("testdata", "importer.usage.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer recorded.Close()
	usage, err := ReadUsage("importer.usage.jsonl", recorded)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := AttachUsage(all, usage); found != 1 || err != nil {
		t.Fatalf("%d conversations have usage: %v", found, err)
	}
	return all[0]
}

// Doing nothing costs what was recorded; nothing is forwarded but what was sent, at its time.
func TestReplayOfRecordedRequests(t *testing.T) {
	s, err := NewStudy(importer(t), say{})
	if err != nil {
		t.Fatal(err)
	}
	var times []string
	var sizes []int
	watching := Strategy{Name: "watching",
		Open: func(now Clock) (Forwarder, func() error, error) {
			forward := func(body []byte) Forwarded {
				req, err := chat.Parse(body)
				if err != nil {
					t.Error(err)
				}
				times = append(times, now().Sub(time.Unix(1_700_000_000, 0)).String())
				sizes = append(sizes, len(req.Messages()))
				return Forwarded{Body: body}
			}
			return forward, func() error { return nil }, nil
		}}
	f, err := s.Measure(watching, billing.DefaultProfiles, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(times), "[0s 10s 20s 16m40s 17m0s 17m20s 17m40s]"; got != want {
		t.Errorf("sent at %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(sizes), "[1 3 5 7 9 1 3]"; got != want {
		t.Errorf("messages %s, want %s", got, want)
	}
	if f.Validity.Faults() != 0 || f.Changes.Turns != 0 {
		t.Errorf("with nothing done: %+v, %+v", f.Validity, f.Changes)
	}
	for _, b := range f.Bills {
		if off := math.Abs(b.Simulated/b.Recorded - 1); off > 0.001 {
			t.Errorf("%s: %.1f simulated, %.1f recorded", b.Profile.Name, b.Simulated, b.Recorded)
		}
		if captured, ok := b.Captured(); !ok || captured != 0 || b.Sent != b.Raw ||
			b.Floor >= b.Raw.Total() {
			t.Errorf("%s: %+v", b.Profile.Name, b)
		}
	}
}

// The floor of the same conversation by hand, at p .1 and w 1.25 with a lifetime of five minutes.
func TestFloorByHand(t *testing.T) {
	s, err := NewStudy(importer(t), say{})
	if err != nil {
		t.Fatal(err)
	}
	profile, err := billing.ParseProfile("p=.1,w=1.25")
	if err != nil {
		t.Fatal(err)
	}
	bill := s.rawBills([]billing.Profile{profile})[0]
	const preamble = 9970 + 28*1.25
	fresh := 10020 - preamble + 1580 + 2100 + 60 + 1040 + (10060 - preamble) + 90
	want := 1.25*fresh +
		.1*4000 + 1.25*(preamble-4000) + // shared with others before
		2*.1*preamble + // read
		1.25*preamble + // after the idle time
		.1*4000 + 1.25*(preamble-4000) + // lost by the client
		2*.1*preamble
	if math.Abs(bill.Floor-want) > 1e-6 {
		t.Errorf("floor %v, want %v", bill.Floor, want)
	}
}

// A strategy that drops all but the newest message pays the preamble and what it sends.
func TestBillOfAStrategy(t *testing.T) {
	s, err := NewStudy(importer(t), say{})
	if err != nil {
		t.Fatal(err)
	}
	f := measure(t, s, DropOldest(say{}, 1))
	for _, b := range f.Bills {
		if b.PlainCost() >= b.Raw.Total() || b.PlainCost() <= b.Floor/2 ||
			b.Share() < b.PlainShare() {
			t.Errorf("%s: %+v", b.Profile.Name, b)
		}
	}
}

// The preamble is sent along, so that a strategy decides by what it would see.
func TestThePreambleIsSent(t *testing.T) {
	tr := importer(t)
	counter := lengths{}
	s, err := NewStudy(tr, counter)
	if err != nil {
		t.Fatal(err)
	}
	req, err := chat.Parse(s.body(s.turns[0].request))
	if err != nil {
		t.Fatal(err)
	}
	want := float64(tr.Preamble) / tr.Scale
	if got := float64(counter.Overhead(req)); math.Abs(got-want) > 0.1*want {
		t.Errorf("%v tokens beside the messages, want about %v", got, want)
	}
	if s.overhead != 0 || s.Tokens > 3000 {
		t.Errorf("%d tokens beside the messages and %d in all are counted as its own", s.overhead,
			s.Tokens)
	}
	tr.Fields = []byte(`"tools":[]`)
	if own, _, err := withPreamble(tr, counter, 8000); err != nil || own != tr {
		t.Errorf("a conversation with tools of its own got others: %v", err)
	}
}

// lengths counts a token for every four bytes of tools.
type lengths struct{ say }

func (lengths) Overhead(r *view.Request) int { return len(r.Field("tools")) / 4 }

func TestReadUsageRefuses(t *testing.T) {
	const good = `{"messages":1,"t":10,"read":1}`
	for _, wrong := range []string{
		`[`, `{"id":"a"}`, `{"requests":[` + good + `]}`,
		`{"id":"a","scale":-1,"requests":[` + good + `]}`,
		`{"id":"a","requests":[{"messages":0,"t":10,"read":1}]}`,
		`{"id":"a","requests":[{"messages":1,"t":10}]}`,
		`{"id":"a","requests":[` + good + `,{"messages":1,"t":9,"read":1}]}`,
		`{"id":"a","requests":[{"messages":1,"t":10,"read":-5,"input":9}]}`,
		// Filler tools of so many tokens would not fit into memory.
		`{"id":"a","scale":1e-9,"standing_tokens":10000,"requests":[` + good + `]}`,
		`{"id":"a","standing_tokens":1000000000000,"requests":[` + good + `]}`,
		// Their sum exceeds an int.
		`{"id":"a","requests":[{"messages":1,"t":10,"read":9223372036854775807,"input":9}]}`,
		`{"id":"a","requests":[{"messages":1,"t":1700000000000,"read":1}]}`, // milliseconds
		`{"id":"a","requests":[{"messages":1,"t":10,"end":1e300,"read":1}]}`,
		`{"id":"a","requests":[{"messages":1,"t":10,"read":1,"skip":[[7,3]]}]}`,
		`{"id":"a","requests":[{"messages":1,"t":10,"read":1,"skip":[[-2,3]]}]}`,
	} {
		if u, err := ReadUsage("u", strings.NewReader(wrong)); err == nil {
			t.Errorf("%s: %+v, want an error", wrong, u)
		}
	}
}

func TestUsageNamesLinesAndTakesNumbers(t *testing.T) {
	const requests = `"requests":[{"messages":1,"t":10,"read":1}]}`
	all, err := ReadUsage("u", strings.NewReader("\ufeff"+`{"id":7,`+requests))
	if err != nil || all[0].ID != "7" {
		t.Errorf("%v, %v; want the id 7", all, err)
	}
	for file, want := range map[string]string{
		`{"id":1,` + requests + "\n\n" + `{"id":2}`: `u:3: usage of conversation "2": want an ` +
			`object with "id" and "requests" for each conversation`,
		"\n[]":    `u:2: want an object with "id" and "requests" for each conversation`,
		"\n\n{x}": `u:3: not JSON: invalid character 'x' `,
	} {
		if _, err := ReadUsage("u", strings.NewReader(file)); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}

func TestUsageOfAnotherConversation(t *testing.T) {
	tr := transcriptOf(t, msg("user", "a"), msg("assistant", "b"))
	tr.ID = "a"
	for recorded, want := range map[string]string{
		`{"id":"a","requests":[{"messages":9,"t":1,"read":1}]}`: "request 1: 9 messages, but the " +
			"transcript has 2",
		`{"id":"a","requests":[{"messages":9,"t":1,"read":1},{"messages":1,"t":2,"read":1}]}`: "" +
			"request 1: 9 messages",
		`{"id":"a","requests":[{"messages":1,"t":1,"read":1}]}
		 {"id":"a","requests":[{"messages":1,"t":1,"read":1}]}`: "two usages of",
	} {
		u, err := ReadUsage("u", strings.NewReader(recorded))
		if err != nil || u[0].Scale != 1 || u[0].TTL != 300 {
			t.Fatalf("%+v, %v", u, err)
		}
		if _, err := AttachUsage([]*Transcript{tr}, u); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v, want %s", recorded, err, want)
		}
	}
}

// A skip that the provider's count contradicts is ignored. The client's own compactions are not
// ignored, nor is a skip whose messages were not read.
func TestSkipsThatTheRecordContradicts(t *testing.T) {
	recorded := importer(t)
	if same, ignored := withoutFalseSkips(recorded, say{}); same != recorded || ignored != 0 {
		t.Errorf("%d of the client's own skips ignored", ignored)
	}
	usage := *recorded.Usage
	usage.Requests = append([]UsageOfAnswer{}, usage.Requests...)
	// The request of seven messages is said to lack the first five, and so are those after it up to
	// the client's own compaction; but 13,700 tokens of it were read, as many as preceded it.
	for i := 3; i < 5; i++ {
		usage.Requests[i].Skip = [][2]int{{0, 5}}
	}
	usage.Requests[3].Read, usage.Requests[3].Written = 13_700, 60
	wrong := *recorded
	wrong.Usage = &usage
	fixed, ignored := withoutFalseSkips(&wrong, say{})
	if ignored != 1 || len(fixed.Usage.Requests[3].Skip)+len(fixed.Usage.Requests[4].Skip) > 0 ||
		len(fixed.Usage.Requests[5].Skip) != 1 || len(usage.Requests[3].Skip) != 1 {
		t.Errorf("%d ignored: %+v", ignored, fixed.Usage.Requests)
	}
	usage.Requests[3].Read, usage.Requests[3].Written = 9_000, 4_760
	if _, ignored := withoutFalseSkips(&wrong, say{}); ignored != 0 {
		t.Error("a skip was ignored though the provider read no more than the preamble")
	}
}

// usageOf returns a transcript with recorded requests.
func usageOf(t *testing.T, requests string, messages ...string) *Study {
	t.Helper()
	tr := transcriptOf(t, messages...)
	u, err := ReadUsage("u", strings.NewReader(`{"id":"test","requests":`+requests+`}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AttachUsage([]*Transcript{tr}, u); err != nil {
		t.Fatal(err)
	}
	s, err := NewStudy(tr, say{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A range of messages that was never sent does not restart the conversation: the messages before it
// are the same.
func TestSkipsOfMessagesThatWereNeverSent(t *testing.T) {
	s := usageOf(t, `[{"messages":1,"t":1,"input":30},`+
		`{"messages":4,"t":2,"input":50,"skip":[[1,3]]},`+
		`{"messages":4,"t":3,"input":20,"skip":[[0,3]]}]`,
		msg("user", "20 a"), msg("assistant", "10 b"), msg("user", "10 c"), msg("user", "10 d"),
		msg("assistant", "10 e"))
	for i, want := range []bool{false, false, true} {
		if got := s.turns[i].restarted; got != want {
			t.Errorf("request %d restarts the conversation: %t, want %t", i+1, got, want)
		}
	}
}

// The median is that of the model's answers, even if a request ends before a message of the user.
func TestMedianAnswer(t *testing.T) {
	s := usageOf(t, `[{"messages":1,"t":1,"input":9},{"messages":2,"t":2,"input":9}]`,
		msg("user", "20 a"), msg("assistant", "10 b"), msg("user", "500 c"))
	if got := s.medianAnswer(); got != 10 {
		t.Errorf("median %v, want 10", got)
	}
}
