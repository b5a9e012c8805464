package fold

import (
	"bytes"
	"strings"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// Each fold chooses the lines of files again; the records before stay as they are, so that the
// provider's prompt cache holds them.
func TestLinesOfFilesAreChosenAgain(t *testing.T) {
	msgs := []string{chattest.Says(view.User, "Make the parser faster.")}
	for _, name := range []string{"first", "second", "third", "fourth"} {
		msgs = append(msgs, chattest.Exchange("read_file", chattest.Object("path", name+".go"),
			"package parser\n\nfunc "+name+"() error {\n\treturn "+name+"Of(input, output)\n}")...)
	}
	msgs = append(msgs, chattest.Call("last", "read_file", chattest.Object("path", "third.go")),
		chattest.Result("last", "package parser\n\nfunc third() error {\n\treturn nil // fast\n}"))
	policy := settings.Policy{Target: 4000, RecordTokens: 4000, WorkingSetTokens: 60}
	_, before := foldsAt(t, policy, msgs, 5)
	v, after := foldsAt(t, policy, msgs, 5, 9)
	if len(after.Records) != 2 || !bytes.Equal(after.Records[0].Raw, before.Records[0].Raw) {
		t.Fatalf("%d records, want the first as it was and a second", len(after.Records))
	}
	for name, c := range map[string]struct {
		cp          *checkpoint.Checkpoint
		has, hasNot string
	}{
		"the first fold":  {before, "|\treturn secondOf(input, output)", "firstOf"},
		"the second fold": {after, "|\treturn fourthOf(input, output)", "thirdOf"},
	} {
		text := c.cp.Working.Text()
		if !strings.Contains(text, c.has) || strings.Contains(text, c.hasNot) {
			t.Errorf("%s shows\n%s\nwant %q, and not %q", name, text, c.has, c.hasNot)
		}
	}
	for _, strict := range []bool{false, true} {
		v.Strict = strict
		in, size := checkpoint.SentAs(v, after, chattest.Counter{})
		req := chattest.Request(t, checkpoint.Render(v, after, in))
		tokens := chattest.Counter{}.Overhead(req)
		var texts []string
		for i := range req.Messages() {
			m := &req.Messages()[i]
			tokens += chattest.Counter{}.Message(m)
			texts = append(texts, m.Text())
		}
		if tokens != size {
			t.Errorf("strict %t: %d tokens are sent, want %d", strict, tokens, size)
		}
		all := strings.Join(texts, "\n")
		record := strings.Index(all, strings.TrimSuffix(checkpoint.Text(after.Records[1:]), "\n"))
		lines := strings.Index(all, after.Working.Text())
		if record < 0 || lines < record || strings.Contains(all, before.Working.Text()) {
			t.Errorf("strict %t: a record at %d, lines at %d of\n%s", strict, record, lines, all)
		}
	}
}

// Without room there is no message; without the setting nothing is stored for it.
func TestNoLinesOfFiles(t *testing.T) {
	for _, tokens := range []int{0, 10} {
		_, cp := foldsAt(t, settings.Policy{Target: 4000, WorkingSetTokens: tokens},
			chattest.Session(1, 20), 20)
		if d, err := cp.Details(); err != nil || cp.Working.Raw != nil ||
			(d.Blocks == nil) != (tokens == 0) {
			t.Errorf("%d tokens: %v, %s", tokens, err, cp.Working.Raw)
		}
	}
}
