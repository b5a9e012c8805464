package compactor

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/internal/fuzzed"
	"killick/view"
)

// fuzzedEngine compacts small requests, truncates on arrival, and redacts.
func fuzzedEngine(store checkpoint.Store) *Engine {
	return New(Options{
		Policy: settings.Policy{
			Trigger: 1500, Target: 700, MinMaskTokens: 20, RecordTokens: 600,
			WorkingSetTokens: 200, IndexTokens: 200, MaxTaskTokens: 300, TruncateOver: 1000,
			ExcludeTools: []string{"write"}, CheckCoverage: true, MinCoverage: 0.2,
			Redact: func(s string) string {
				return strings.ReplaceAll(s, "hunter22", "[redacted: "+
					"password]")
			},
		},
		Counter: byBytes, Store: store, MaxPartTokens: 100,
	})
}

// harm says what forwarding out in the place of in would break.
func harm(in, out []byte) (found []string) {
	was, err := chat.Parse(in)
	if err != nil {
		return []string{"it was no request: " + err.Error()}
	}
	is, err := chat.Parse(out)
	if err != nil {
		return []string{"it is no request: " + err.Error()}
	}
	old, new := was.Messages(), is.Messages()
	before, after := tallyOf(old), tallyOf(new)
	if after.orphans > before.orphans || after.open > before.open {
		found = append(found, "a call and its result were parted")
	}
	if before.instructions != after.instructions {
		found = append(found, "a system or developer message changed")
	}
	if len(out) > len(in) {
		found = append(found, "it grew")
	}
	head, tail := bytes.Index(in, was.Field("messages")), len(in)
	tail -= head + len(was.Field("messages"))
	if !bytes.HasPrefix(out, in[:head]) || !bytes.HasSuffix(out, in[len(in)-tail:]) {
		found = append(found, "a byte outside the messages changed")
	}
	return append(found, lost(old, new)...)
}

// lost returns which messages of persons that must stay are missing: the task and the latest
// request, which may lose their middle if they are long, and the newest short messages.
func lost(old, new []view.Message) (found []string) {
	var all strings.Builder
	for i := range new {
		all.WriteString(new[i].Text() + "\x00")
	}
	sent := valid(all.String())
	requests := requestsIn(old)
	for n, i := range requests {
		must := 0 // bytes of each part
		switch {
		case len(requests)-n <= alwaysKept && byteCounter{}.Message(&old[i]) <= keptMessage:
			must = len(old[i].Raw)
		case n == 0 || n == len(requests)-1:
			must = 40
		}
		for part := range old[i].Parts() {
			if part.Text == nil {
				continue
			}
			text := part.Text.Text()
			if text = valid(text[:min(len(text), must)]); !strings.Contains(sent, text) {
				found = append(found, fmt.Sprintf("request %d of %d is lost", n+1, len(requests)))
			}
		}
	}
	return found
}

// valid removes invalid UTF-8 and its replacements from a text: cutting a message replaces it.
func valid(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\ufffd", "")
}

// FuzzRequest checks that for any conversation, the forwarded request is valid and has everything
// that must stay, is the same when it is sent again and after the store is lost, and that the same
// is true of its earlier turns.
func FuzzRequest(f *testing.F) {
	for _, seed := range fuzzed.Seeds(12, 200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := fuzzed.Request(data)
		req, err := chat.Parse(in)
		if err != nil {
			t.Skip("no chat request")
		}
		store := newMemStore()
		e := fuzzedEngine(store)
		res := e.Compact(t.Context(), req, "ann")
		for _, h := range harm(in, res.Body) {
			t.Errorf("%s: %v", h, res.Made)
		}
		for _, f := range res.FailOpens {
			t.Errorf("failed open: %s: %v", f.Reason, f.Err)
		}
		again := e.Compact(t.Context(), parse(t, in), "ann")
		if !bytes.Equal(again.Body, res.Body) {
			t.Error("sent again, it was forwarded as something else")
		}
		anew := fuzzedEngine(newMemStore()).Compact(t.Context(), parse(t, in), "ann")
		if !bytes.Equal(anew.Body, res.Body) {
			t.Error("without the store it was forwarded as something else")
		}
		if other := e.Compact(t.Context(), parse(t, in), "bob"); other.Reused {
			t.Error("what was ann's was bob's")
		}
	})
}

// FuzzCheckpoint: whatever is stored for a conversation is ignored or used, and
// never breaks a request.
func FuzzCheckpoint(f *testing.F) {
	msgs := session(3, 30)
	in := body(msgs)
	store := newMemStore()
	newEngine(store).Compact(f.Context(), parse(f, in), "ann")
	for _, value := range store.values {
		f.Add(value, uint8(0), uint8(5))
		f.Add(value, uint8(3), uint8(20))
		f.Add(value, uint8(128+8), uint8(20)) // as if it were of this prefix
	}
	f.Add([]byte(`{"v":1,"covers":5,"masks":[{"i":4,"t":"x","s":1}]}`), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, value []byte, from, to uint8) {
		store := newMemStore()
		conv := store.Conversation("ann", parse(t, in).Messages(), nil)
		for covers := int(from % 40); covers < int(to%64) && covers <= len(msgs); covers++ {
			if from >= 128 { // let it pass for one of this prefix
				value = sealed(value, covers)
			}
			if _, err := conv.Put(t.Context(), covers, -1, value); err != nil {
				t.Fatal(err)
			}
		}
		res := newEngine(store).Compact(t.Context(), parse(t, in), "ann")
		is, was := tallyOf(parse(t, res.Body).Messages()), tallyOf(parse(t, in).Messages())
		if is.orphans > was.orphans || is.open > was.open || is.instructions != was.instructions {
			t.Error("a pair or an instruction was lost")
		}
		if len(res.Body) > len(in) {
			t.Errorf("grown from %d to %d bytes", len(in), len(res.Body))
		}
		again := newEngine(store).Compact(t.Context(), parse(t, in), "ann")
		if !bytes.Equal(again.Body, res.Body) {
			t.Error("sent again, it was forwarded as something else")
		}
	})
}

// sealed is a stored checkpoint that says to cover so many messages, with the version
// and the checksum that it must have.
func sealed(value []byte, covers int) []byte {
	const checksum = 4
	if len(value) < 1+checksum {
		return value
	}
	_, n := binary.Varint(value[1:])
	if n <= 0 || 1+n > len(value)-checksum {
		return value
	}
	out := binary.AppendVarint([]byte{checkpoint.Version}, int64(covers))
	out = append(out, value[1+n:len(value)-checksum]...)
	sum := crc32.Checksum(out, crc32.MakeTable(crc32.Castagnoli))
	return binary.LittleEndian.AppendUint32(out, sum)
}
