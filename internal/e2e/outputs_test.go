package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/rawjson"
	"killick/view"
)

// output asks for an original.
func output(t *testing.T, g *gateway, key, ref string) (status int, content string) {
	t.Helper()
	return send(t, http.MethodGet, g.url+"/killick/outputs/"+ref, nil, "Authorization",
		"Bearer "+key)
}

// hiddenOutputs returns, by ref, the originals of the results whose placeholder
// in a forwarded body begins with mark.
func hiddenOutputs(t *testing.T, sent, got []byte, mark string) map[string]string {
	t.Helper()
	was := map[string]string{}
	for _, m := range mustParse(t, sent).Messages() {
		if m.Role() == view.Tool {
			was[m.ToolCallID()] = m.Text()
		}
	}
	hidden := map[string]string{}
	for _, m := range mustParse(t, got).Messages() {
		if m.Role() != view.Tool || !strings.HasPrefix(m.Text(), mark) {
			continue
		}
		ref := anyRef.FindStringSubmatch(m.Text())
		if ref == nil {
			t.Fatalf("a placeholder without a ref: %.300q", m.Text())
		}
		hidden[ref[1]] = was[m.ToolCallID()]
	}
	if len(hidden) == 0 {
		t.Fatalf("nothing forwarded begins with %q", mark)
	}
	return hidden
}

// What was hidden or truncated is given back to whoever sent it, and to nobody
// else.
func TestOutputsAreGivenBack(t *testing.T) {
	noLeaks(t)
	masked := sessionBody("anybody", 8)
	var lines strings.Builder
	for i := range 600 {
		fmt.Fprintf(&lines, "\"%d\":\tü <b>&amp;</b> \\ a line of a long log ✓\n", i)
	}
	log := rawjson.AppendQuoted(nil, lines.String())
	oversized := fmt.Appendf(nil,
		`{"model":"gpt-4o","messages":[{"role":"user","content":"Read the log."},`+
			`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",`+
			`"function":{"name":"read_file","arguments":"{}"}}]},`+
			`{"role":"tool","tool_call_id":"call_1","content":%s}]}`, log)
	for name, test := range map[string]struct {
		set  func(*config.Config)
		body []byte
		mark string
	}{
		"masked": {between(3200, 2200), masked, "[Output masked"},
		"truncated on arrival": {func(c *config.Config) {
			c.Compaction.Ingest = 1000
		}, oversized, "[Truncated on arrival"},
		"kept in a store folder": {func(c *config.Config) {
			between(3200, 2200)(c)
			c.Cache.InMemory, c.Cache.Dir = false, t.TempDir()+"/store"
		}, masked, "[Output masked"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, fakeupstream.Config{}, test.set)
			f := g.chat(t, "sk-mine", test.body)
			for ref, want := range hiddenOutputs(t, test.body, f.body, test.mark) {
				if status, got := output(t, g, "sk-mine", ref); status != http.StatusOK ||
					got != want {
					t.Errorf("%s: got %d %.80q, want the original %.80q", ref, status, got, want)
				}
				status, got := output(t, g, "sk-other", ref)
				if _, unknown := output(t, g, "sk-other", "aaaaaaaaaaaaaaaa"); status !=
					http.StatusNotFound || got != unknown {
					t.Errorf("%s under another key: got %d %.80q, want 404 %q", ref, status,
						got, unknown)
				}
			}
			if seen := g.upstream.Requests(); len(seen) != 1 {
				t.Errorf("the upstream saw %d requests, want the chat alone", len(seen))
			}
		})
	}
}

// Outputs that were folded, masked before or not, are listed under the handle
// that their record names, and a long pinned message under its own.
func TestFoldedOutputsAreGivenBack(t *testing.T) {
	long := strings.Repeat("Find where the limit is parsed. ", 900)
	body := bytes.Replace(sessionBody("anybody", 14), []byte("Find where the limit is parsed."),
		[]byte(long), 1)
	long += " Never edit a file." // what sessionTurns adds after it
	g := newGateway(t, fakeupstream.Config{}, func(c *config.Config) {
		between(9000, 6000)(c)
		c.Models = map[string]config.ModelSpec{"*": {Window: 12_000}} // the task takes half of it
	})
	f := g.chat(t, "sk-mine", body)
	if !f.did("summary") {
		t.Fatalf("nothing was folded: %s", f.header.Get("Killick-Action"))
	}
	refs := anyRef.FindAllSubmatch(f.body, -1)
	was := map[string]bool{long: true}
	for _, m := range mustParse(t, body).Messages() {
		if m.Role() == view.Tool {
			was[m.Text()] = true
		}
	}
	outputs, pins := 0, 0
	for _, ref := range refs {
		status, content := output(t, g, "sk-mine", string(ref[1]))
		if status != http.StatusOK {
			t.Fatalf("%s: status %d", ref[1], status)
		}
		if content == long {
			pins++
		}
		if was[content] {
			continue
		}
		for _, listed := range anyRef.FindAllStringSubmatch(content, -1) {
			if status, original := output(t, g, "sk-mine", listed[1]); status != http.StatusOK ||
				!was[original] && !anyRef.MatchString(original) {
				t.Errorf("%s in a list: status %d, %.60q", listed[1], status, original)
			}
			outputs++
		}
		if status, _ := output(t, g, "sk-other", string(ref[1])); status != http.StatusNotFound {
			t.Errorf("%s under another key: status %d", ref[1], status)
		}
	}
	if outputs == 0 || pins == 0 {
		t.Errorf("%d refs in the request gave %d listed outputs and %d pinned messages", len(refs),
			outputs, pins)
	}
}
