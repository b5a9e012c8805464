package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"killick/internal/config"
	"killick/rawjson"
)

const (
	checking = "claude-opus-5-5"   // checks what is before a thinking block
	manual   = "claude-sonnet-4-5" // has to start a running loop with its thinking

	adaptive = `"thinking":{"type":"adaptive","display":"summarized"},`
	omitted  = `"thinking":{"type":"adaptive"},` // comes back without its text
	enabled  = `"thinking":{"type":"enabled","budget_tokens":2048},`
)

// interleaved lets older models think between calls.
var interleaved = []string{"Anthropic-Beta", "interleaved-thinking-2025-05-14"}

// wanted is what a replay with thinking must show.
type wanted struct {
	folds    int  // at least
	thinking bool // some of it is sent after a record
	apart    bool // other replicas may forward other bytes
}

// through sends all of a conversation on its journey and fails where thinking is refused.
func (k *talk) through(t *testing.T, set func(*config.Config), want wanted) {
	t.Helper()
	j := newJourney(t, newDeployment(t, k.up.URL()+"/v1", set))
	for i := range k.turns {
		k.ask(t, j.at(t, i, len(k.turns)).Public)
	}
	if !want.apart {
		k.again(t, j.start(t))
	}
	if n := j.end(t); n != 0 {
		t.Errorf("%d refusals of reasoning were counted", n)
	}
	for _, refused := range k.refused() {
		t.Errorf("refused: %s", refused)
	}
	if len(k.refs) < want.folds {
		t.Errorf("%d records in %d requests, want %d at least: %v", len(k.refs), k.sent, want.folds,
			k.actions)
	}
	if want.thinking && k.signed == 0 {
		t.Error("no thinking was sent after a record: nothing is shown")
	}
}

// A client's request for a summary of its own is forwarded whole, but its thinking was signed after
// our records: it is sent again without, and the client sees no error.
func TestOwnSummariesAreNotRefused(t *testing.T) {
	tools := `"tools":[{"name":"read_file","input_schema":{"type":"object"}}],`
	k := newTalk(t, looping(checking, 30, 2000), adaptive+tools, true)
	r := newDeployment(t, k.up.URL()+"/v1", payingBetween(7000, 2000)).start(t)
	for range 25 {
		k.ask(t, r.Public)
	}
	turn := &k.turns[k.sent]
	last := len(turn.messages) - 1
	content := rawjson.Value(turn.messages[last]).Get("content")
	turn.messages[last] = fmt.Appendf(nil, `{"role":"user","content":%s,{"type":"text",`+
		`"text":"Your task is to create a detailed summary of the conversation so far."}]}`,
		content[:len(content)-1])
	k.ask(t, r.Public) // which fails the test with any error
	if len(k.refs) == 0 {
		t.Error("nothing was folded")
	}
	all := k.up.Requests()
	if sent := all[len(all)-1].Body; bytes.Contains(sent, []byte("Record of earlier turns")) ||
		bytes.Contains(sent, []byte(`"signature"`)) ||
		bytes.Count(sent, []byte("tool_result")) < 20 {
		t.Errorf("not all of the conversation, or its thinking, was sent: %.300s", sent)
	}
	if left := r.total(t, refusals+`{outcome="left_out"}`); left != 1 {
		t.Errorf("%d requests were sent again without thinking, want 1", left)
	}
}

// foldsOf is how often a conversation of so many requests must be folded at least at the trigger of
// often. Two with fewer than 30 are below it but for a few requests.
func foldsOf(requests int) int {
	if requests < 30 {
		return 1
	}
	return 5
}

// often sets a trigger at which a conversation is folded five times and more.
func often(chat []byte) func(*config.Config) { return foldsAbove(max(1000, len(chat)/4/40), 1500) }

// small sets a trigger at which a conversation is folded several times.
func small(chat []byte) func(*config.Config) { return foldsAbove(max(3000, len(chat)/4/14), 3000) }

func foldsAbove(trigger, chars int) func(*config.Config) {
	return func(c *config.Config) {
		between(trigger, trigger/2)(c)
		c.Compaction.SummaryBytes = chars
		c.Compaction.MinMaskTokens = 100_000 // folds alone
	}
}

// The same model on Vertex AI, where the path names it.
func TestThinkingOnVertex(t *testing.T) {
	chat := looping(checking, 40, 2000)
	k := newTalk(t, chat, adaptive, true)
	k.path = "/v1/projects/p/locations/l/publishers/anthropic/models/" + checking + ":rawPredict"
	k.fields = bytes.Replace(k.fields, []byte(`"model":"`+checking+`"`),
		[]byte(`"anthropic_version":"vertex-2023-10-16"`), 1)
	k.through(t, often(chat), wanted{folds: 5, thinking: true})
}

// Recorded conversations whose model thinks at every turn, on a model that checks what is before
// its thinking, are never refused: through folds, restarts with and without the store, and by
// another replica in turns.
func TestThinkingIsNeverRefused(t *testing.T) {
	var mu sync.Mutex
	conversations, requests, folds, thoughts := 0, 0, 0, 0
	all := sampled(t, 9, 27)
	t.Run("replay", func(t *testing.T) {
		for i, c := range all {
			chat, thinking := whole(&c, checking), adaptive
			if i%2 == 1 {
				thinking = omitted
			}
			if len(chat) < 60_000 || len(c.Messages) < 40 {
				continue
			}
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				k := newTalk(t, chat, thinking, true)
				want := wanted{folds: foldsOf(len(k.turns)), thinking: true}
				k.through(t, often(chat), want)
				mu.Lock()
				defer mu.Unlock()
				conversations, requests = conversations+1, requests+k.sent
				folds, thoughts = folds+len(k.refs), thoughts+k.signed
			})
		}
	})
	t.Logf("%d conversations, %d requests, %d records, %d thinking blocks after them",
		conversations, requests, folds, thoughts)
	if conversations == 0 {
		t.Error("no conversation was replayed")
	}
}

// So are conversations whose model must start a running loop with its thinking, with thinking at
// the start of a loop alone and, under a beta, between calls too.
func TestManualThinkingStartsItsLoop(t *testing.T) {
	all := sampled(t, 18, 27)
	for _, c := range all {
		chat := whole(&c, manual)
		if len(chat) < 60_000 || len(c.Messages) < 40 {
			continue
		}
		for name, header := range map[string][]string{"at the start": nil, "between": interleaved} {
			t.Run(c.ID+" "+name, func(t *testing.T) {
				t.Parallel()
				k := newTalk(t, chat, enabled, header != nil, header...)
				if k.instructedLater() {
					t.Skip("the model takes no instructions among its messages")
				}
				want := wanted{folds: 1, thinking: true}
				if header == nil {
					// A loop that stays together is not folded, and decisions within it are not
					// found again by a replica that has not seen it grow.
					want = wanted{apart: true}
				}
				k.through(t, small(chat), want)
			})
		}
	}
}

// instructedLater reports whether a message is of role system.
func (k *talk) instructedLater() bool {
	for _, turn := range k.turns {
		for _, m := range turn.messages {
			if strings.HasPrefix(string(m), `{"role":"system"`) {
				return true
			}
		}
	}
	return false
}

// What else a conversation can become leaves thinking valid too: masks alone, outputs that are
// truncated on arrival, and folds within one loop that goes on and on.
func TestThinkingAfterOtherForms(t *testing.T) {
	for name, form := range map[string]struct {
		turns, output int
		set           func(*config.Config)
		did, never    string
	}{
		"masks": {30, 6000, func(c *config.Config) {
			between(30_000, 15_000)(c)
			paying(c)
		}, "mask", "summary"},
		"truncated on arrival": {20, 12_000, func(c *config.Config) {
			between(400_000, 200_000)(c)
			c.Compaction.Ingest = 1000
		}, "mask", "summary"},
		"truncated and folded": {40, 12_000, func(c *config.Config) {
			between(12_000, 5000)(c)
			c.Compaction.Ingest = 1000
		}, "summary", ""},
		"a record in a loop": {60, 1500, func(c *config.Config) {
			between(8000, 4000)(c)
			c.Compaction.MinMaskTokens = 100_000
		}, "summary", "mask"},
	} {
		for _, model := range []string{checking, manual} {
			t.Run(fmt.Sprint(name, ", ", model), func(t *testing.T) {
				t.Parallel()
				thinking, header := adaptive, []string(nil)
				if model == manual {
					thinking, header = enabled, interleaved
				}
				k := newTalk(t, looping(model, form.turns, form.output), thinking, true, header...)
				k.through(t, form.set, wanted{})
				if k.actions[form.did] == 0 || k.actions[form.never] > 0 {
					t.Errorf("want %s and no %s: %v", form.did, form.never, k.actions)
				}
			})
		}
	}
}

// A conversation that began without the proxy carries thinking that was signed for what was never
// compacted. What the upstream refuses of it is sent again without, counted, and the client sees no
// error.
func TestThinkingFromBeforeIsMended(t *testing.T) {
	chat := looping(checking, 60, 2000)
	k := newTalk(t, chat, adaptive, true)
	d := newDeployment(t, k.up.URL()+"/v1", between(20_000, 10_000))
	r := d.start(t)
	began := len(k.turns) / 2
	for i := range k.turns {
		if i < began {
			k.ask(t, k.up.URL())
			continue
		}
		k.ask(t, r.Public) // which fails the test with any error
	}
	n := r.total(t, refusals)
	t.Logf("%d of %d requests through the proxy were sent again without reasoning",
		n, len(k.turns)-began)
	if n == 0 || n != len(k.refused()) {
		t.Errorf("%d refusals were counted, the upstream refused %d", n, len(k.refused()))
	}
	if left := r.total(t, refusals+`{outcome="left_out"}`); left != n {
		t.Errorf("%d of %d refused requests were sent again", left, n)
	}
}

// Where a client goes back and the model then answers without thinking, a form that was made for
// the other answer does not cut the loop there.
func TestAnotherAnswerWithoutThinking(t *testing.T) {
	k := newTalk(t, looping(manual, 40, 2000), enabled, true, interleaved...)
	r := newDeployment(t, k.up.URL()+"/v1", small(looping(manual, 40, 2000))).start(t)
	for range k.turns {
		k.ask(t, r.Public)
	}
	folded := len(k.refs)
	history := k.history
	for i := range history[:len(history)-1] {
		if i < 2 || !strings.HasPrefix(string(history[i]), `{"role":"assistant"`) {
			continue
		}
		k.history = slices.Clone(history[:len(history)-1])
		k.history[i] = withoutThinking(history[i])
		if a := r.Ask(t, "POST", k.path, k.request(), k.header...); a.Status != 200 {
			t.Errorf("message %d: %d %.300s", i, a.Status, a.Body)
		}
	}
	if folded < 5 {
		t.Errorf("%d records, want 5 at least", folded)
	}
}

// withoutThinking returns a message of the assistant's without its first block.
func withoutThinking(m []byte) []byte {
	var rest []string
	for block := range rawjson.Value(m).Get("content").Elements() {
		rest = append(rest, string(block))
	}
	return []byte(`{"role":"assistant","content":[` + strings.Join(rest[1:], ",") + `]}`)
}
