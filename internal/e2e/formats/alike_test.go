package formats

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"killick/internal/e2e/proxytest"
	"killick/internal/recorded"
	"killick/rawjson"
	"killick/view"
)

// everything reports whether all recorded conversations are replayed.
func everything() bool { return os.Getenv("KILLICK_FORMATS") == "all" }

// sampled returns which of the recorded conversations are replayed: one of this many, and none of
// the longest. All of them with KILLICK_FORMATS=all, which make formats sets.
func sampled(t *testing.T, normal, short int) (list []recorded.Conversation) {
	t.Helper()
	step, longest := normal, 200
	switch {
	case everything():
		step, longest = 1, math.MaxInt
	case testing.Short():
		step, longest = short, 120
	}
	for i, c := range recorded.Conversations(t) {
		if i%step == step/2 && len(c.Messages) <= longest {
			list = append(list, c)
		}
	}
	return list
}

// replay is what became of a conversation in one format.
type replay struct {
	turns, over, changed int
	raw, sent            int // tokens of the turns past the trigger
	folds                map[string]bool
	differ               int // turns that read otherwise than in chat
}

func (r *replay) add(o *replay) {
	r.turns, r.over, r.changed = r.turns+o.turns, r.over+o.over, r.changed+o.changed
	r.raw, r.sent, r.differ = r.raw+o.raw, r.sent+o.sent, r.differ+o.differ
	if r.folds == nil {
		r.folds = map[string]bool{}
	}
	for ref := range o.folds {
		r.folds[ref] = true
	}
}

func (r *replay) saved() float64 { return 100 * (1 - float64(r.sent)/float64(max(r.raw, 1))) }

var ref = regexp.MustCompile(`ref=[a-z2-7]{16}`)

// shown is what a model reads of a request after the leading instructions, by message. Ids of calls
// and refs are left out: they are those of a format.
func shown(t *testing.T, f view.Format, body []byte) (all []string) {
	t.Helper()
	r, err := view.Parse(f, body)
	if err != nil {
		t.Fatalf("%s: %v in %.200s", f.Name(), err, body)
	}
	list := r.Messages()
	for len(list) > 0 && list[0].Role().Instructs() {
		list = list[1:]
	}
	for i := 0; i < len(list); i++ {
		m := &list[i]
		text := read(m)
		for m.Role() == view.User && i+1 < len(list) && list[i+1].Role() == view.User {
			i++ // one message where turns must alternate
			text += "\n" + read(&list[i])
		}
		s := fmt.Sprintf("%t %q", m.Role() == view.Assistant, text)
		for _, call := range m.ToolCalls() {
			s += fmt.Sprintf(" %s(%s)", call.Name, arguments(call.Arguments))
		}
		all = append(all, s)
	}
	return all
}

// read returns the text of a message.
func read(m *view.Message) string {
	text := ref.ReplaceAllString(m.Text(), "ref=")
	if strings.TrimSpace(text) == "" || text == "(empty)" {
		return ""
	}
	return text
}

// arguments are those of a call, without what surrounds them in a format.
func arguments(v rawjson.Value) string {
	text := string(v)
	if v.Kind() == rawjson.String {
		text = v.Text()
	}
	if wrapped := rawjson.Value(text).Get("arguments"); wrapped.Kind() == rawjson.String {
		text = wrapped.Text() // what is not an object
	}
	return strings.TrimSpace(text)
}

// ends returns the lengths of a conversation at which a client sends it.
func ends(c *recorded.Conversation) (all []int) {
	for n := range c.Messages {
		if n > 0 && c.FromAssistant(n) && !c.FromAssistant(n-1) {
			all = append(all, n)
		}
	}
	if last := len(c.Messages); !c.FromAssistant(last - 1) {
		all = append(all, last)
	}
	return all
}

// twice reports whether a message of the assistant follows another: one turn in other formats.
func twice(c *recorded.Conversation) bool {
	for i := range c.Messages {
		if i > 0 && c.FromAssistant(i) && c.FromAssistant(i-1) {
			return true
		}
	}
	return false
}

// setting is a trigger with its target, and for which conversations it is.
type setting struct {
	trigger, target int
	least           int // bytes of the conversation
}

// settings are those of what is replayed: a usual one for long conversations, and a small one.
var settings = []setting{{32_000, 16_000, 160_000}, {6000, 3000, 24_000}}

// A recorded conversation is compacted at the same turns, to the same messages and with the same
// records, in every format; upstreams as strict as the real ones take all of it; and what is under
// the trigger is forwarded as received.
func TestFormatsAreForwardedAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("replays one request after the other, and without -short too")
	}
	totals := map[string]*replay{}
	var mu sync.Mutex
	all := sampled(t, 9, 27)
	t.Run("replay", func(t *testing.T) {
		for _, c := range all {
			for _, s := range settings {
				if twice(&c) || len(c.Body("", len(c.Messages))) < s.least {
					continue
				}
				t.Run(fmt.Sprint(c.ID, " ", s.trigger), func(t *testing.T) {
					t.Parallel()
					for name, r := range replayAlike(t, &c, s) {
						mu.Lock()
						key := fmt.Sprintf("%d to %d, %s", s.trigger, s.target, name)
						if totals[key] == nil {
							totals[key] = &replay{}
						}
						totals[key].add(r)
						mu.Unlock()
					}
				})
			}
		}
	})
	var keys []string
	for key := range totals {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		r := totals[key]
		t.Logf("%s: %d turns, %d past the trigger, %d changed, %d records, %.2f%% saved, "+
			"%d otherwise than chat", key, r.turns, r.over, r.changed, len(r.folds), r.saved(),
			r.differ)
		chat := totals[key[:strings.LastIndexByte(key, ' ')+1]+"chat"]
		if apart := r.saved() - chat.saved(); apart > 1 || apart < -1 {
			t.Errorf("%s: saved %.2f%%, chat %.2f%%", key, r.saved(), chat.saved())
		}
		if r.changed == 0 || len(r.folds) == 0 {
			t.Errorf("%s: nothing was compacted: nothing is shown", key)
		}
	}
	if want := 7 * len(settings); len(totals) != want {
		t.Errorf("%d replays, want %d: each setting in seven formats", len(totals), want)
	}
}

// replayAlike replays a conversation in every format that can spell it.
func replayAlike(t *testing.T, c *recorded.Conversation, s setting) map[string]*replay {
	got := map[string]*replay{}
	reads := map[int][]string{} // what the model of the chat reads, by turn
	for _, l := range lanes(t) {
		name := l.format.Name()
		last, err := l.convert(bodyOf(c, len(c.Messages)))
		if err != nil || last == nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		d := newDeployment(t, l.base, between(s.trigger, s.target))
		r := d.start(t)
		sum := &replay{folds: map[string]bool{}}
		got[name] = sum
		forwarded := map[int][]byte{}
		turns := ends(c)
		for i, n := range turns {
			in, err := l.convert(bodyOf(c, n))
			if err != nil {
				t.Fatalf("%s, %d messages: %v", name, n, err)
			}
			a, out := l.send(t, r, in)
			if a.Status != 200 {
				t.Fatalf("%s, %d messages: %d %.300s", name, n, a.Status, a.Body)
			}
			sum.note(t, &a, in, out, s.trigger)
			reading := shown(t, l.format, out)
			if name == "chat" {
				reads[n] = reading
			} else if !slices.Equal(reads[n], reading) {
				sum.differ++
				if sum.differ == 1 {
					t.Logf("%s, %d messages: %s", name, n, difference(reads[n], reading))
				}
			}
			forwarded[n] = out
			if i%7 == 0 {
				if _, again := l.send(t, r, in); !bytes.Equal(out, again) {
					t.Errorf("%s, %d messages: sent twice, other bytes were forwarded", name, n)
				}
			}
		}
		elsewhere(t, l, d, r, c, turns, forwarded)
	}
	return got
}

func bodyOf(c *recorded.Conversation, n int) []byte {
	return c.Body(`"model":"`+model+`","max_tokens":8192`, n)
}

// note adds up a turn and checks that what is under the trigger stays as it is.
func (r *replay) note(t *testing.T, a *proxytest.Answer, in, out []byte, trigger int) {
	t.Helper()
	r.turns++
	raw, sent := a.Tokens(t)
	if raw > trigger {
		r.over, r.raw, r.sent = r.over+1, r.raw+raw, r.sent+sent
	}
	if same := bytes.Equal(in, out); !same {
		r.changed++
		if raw <= trigger {
			t.Errorf("%d tokens are under the trigger, yet changed", raw)
		}
	} else if action := a.Action(); action != "none" {
		t.Errorf("unchanged, yet %q is reported", action)
	}
	if ref := a.Header.Get("Killick-Summary"); ref != "" {
		r.folds[ref] = true
	}
}

// difference shows where two lists of messages part.
func difference(want, got []string) string {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			a, b := want[i], got[i]
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			at = max(0, at-80)
			return fmt.Sprintf("message %d of %d and %d: …%.300s\nand …%.300s", i, len(want),
				len(got), a[at:], b[at:])
		}
	}
	return fmt.Sprintf("%d messages and %d", len(want), len(got))
}

// elsewhere sends the last turns again: to the same replica after a restart, with its store and
// with an emptied one, and to another one that has the secret alone.
func elsewhere(t *testing.T, l *lane, d *deployment, r *replica, c *recorded.Conversation,
	turns []int, want map[int][]byte) {
	t.Helper()
	check := func(where string, r *replica, turns []int) {
		t.Helper()
		for _, n := range turns {
			in, err := l.convert(bodyOf(c, n))
			if err != nil {
				t.Fatal(err)
			}
			if _, out := l.send(t, r, in); !bytes.Equal(out, want[n]) {
				t.Errorf("%s, %d messages: other bytes %s", l.format.Name(), n, where)
			}
		}
	}
	last := turns[max(0, len(turns)-2):]
	check("by another replica", d.start(t), turns[len(turns)/2:][:1])
	r = r.restarted(t, false)
	check("after a restart", r, last)
	r = r.restarted(t, true)
	check("after a restart with an emptied store", r, last)
	r.Stop()
}
