package formats

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/fakeresponses"
	"killick/proxy/expand"
)

var anyRef = regexp.MustCompile(`ref=([a-z2-7]{16})`)

// leftOut is the first ref in a request, "" if there is none or a text was just read.
func leftOut(body []byte) string {
	ref := anyRef.FindSubmatch(body)
	if ref == nil || bytes.Count(body, []byte(`"`+expand.Name+`"`)) != 1 {
		return ""
	}
	return string(ref[1])
}

// expanding has texts read by a tool, in conversations that are masked and folded.
func expanding(c *config.Config) {
	between(7000, 2000)(c)
	paying(c)
	c.Compaction.Expand = config.ExpandTool
}

// A model that reads what was left out before each of its replies, with thinking that is bound to
// what is before it, or with encrypted reasoning, is never refused anything: through masks, folds,
// restarts with and without the store, and by another replica in turns.
func TestExpandedTurnsAreAccepted(t *testing.T) {
	turns := 40
	if testing.Short() {
		turns = 20
	}
	least := turns / 3 // texts that are read
	for model, thinking := range map[string]string{checking: adaptive, manual: enabled} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			var header []string
			if model == manual {
				header = interleaved
			}
			tools := `"tools":[{"name":"read_file","input_schema":{"type":"object"}}],`
			k := newTalk(t, looping(model, turns, 2000), thinking+tools, true, header...)
			k.expand = true
			k.through(t, expanding, wanted{folds: 2, apart: true})
			if read := len(k.up.Requests()) - k.sent; read < least {
				t.Errorf("%d texts were read, want %d at least", read, least)
			}
			if strings.Contains(string(k.last), `"`+expand.Name) {
				t.Errorf("the client has the tool: %s", k.last)
			}
		})
	}
	t.Run("responses", func(t *testing.T) {
		t.Parallel()
		tools := `"store":false,"tools":[{"type":"function","name":"read_file",` +
			`"parameters":{"type":"object"}}],`
		d := newDialog(t, looping("gpt-5.1", turns, 2000), fakeresponses.Config{}, tools)
		d.expand = true
		j := newJourney(t, newDeployment(t, d.up.URL(), expanding))
		for i := range d.turns {
			d.ask(t, j.at(t, i, len(d.turns)).Public)
		}
		if n := j.end(t); n != 0 || len(d.refs) < 2 {
			t.Errorf("%d refusals of reasoning were counted, with %d records", n, len(d.refs))
		}
		for _, r := range d.up.Requests() {
			if r.Status != 200 || r.MovedReasoning > 0 {
				t.Errorf("status %d, %d moved, to %s", r.Status, r.MovedReasoning, r.Body)
			}
		}
		if read := len(d.up.Requests()) - d.sent; read < least {
			t.Errorf("%d texts were read, want %d at least", read, least)
		}
		if strings.Contains(string(d.last), `"`+expand.Name) {
			t.Errorf("the client has the tool: %s", d.last)
		}
	})
}

// Thinking that was signed before the tool was there is mended as thinking from before a fold is:
// the client sees no error.
func TestThinkingFromBeforeTheToolIsMended(t *testing.T) {
	tools := `"tools":[{"name":"read_file","input_schema":{"type":"object"}}],`
	k := newTalk(t, looping(checking, 12, 500), adaptive+tools, true)
	r := newDeployment(t, k.up.URL()+"/v1", func(c *config.Config) {
		c.Compaction.Expand = config.ExpandTool
	}).start(t)
	const before, behind = 8, 3
	for range before {
		k.ask(t, k.up.URL())
	}
	for range behind {
		k.ask(t, r.Public) // which fails the test with any error
	}
	if left := r.total(t, refusals+`{outcome="left_out"}`); left != behind {
		t.Errorf("%d requests were sent again without thinking, want %d", left, behind)
	}
}
