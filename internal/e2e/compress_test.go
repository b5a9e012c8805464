package e2e

import (
	"bytes"
	"testing"

	"killick/internal/chattest"
	"killick/internal/convert"
	"killick/internal/fakeupstream"
	"killick/rawjson"
)

// A gateway that has messages compacted gets, turn by turn and in either format, what Killick would
// forward for the same client: from one form to the next the beginning stays the same, so that the
// provider's prompt cache is of use.
func TestCompressGivesWhatWouldBeForwarded(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	g := newGateway(t, fakeupstream.Config{}, foldBetween(3000, 1500))
	other := newGateway(t, fakeupstream.Config{}, foldBetween(3000, 1500))
	msgs := chattest.Session(3, 60)
	header := []string{"Authorization", "Bearer gateway"}
	compacted, blocks, changes := 0, 0, 0
	var before []byte // the messages of the last answer
	for n := 1; n <= len(msgs); n++ {
		body := chattest.Body(msgs[:n])
		if bytes.Contains([]byte(msgs[n-1]), []byte(`"role":"assistant"`)) {
			continue
		}
		a := ask(t, g.url+"/v1/compress", body, header...)
		got := rawjson.Value(a.reply).Get("messages")
		want := rawjson.Value(other.chat(t, "gateway", body).body).Get("messages")
		if a.status != 200 || !bytes.Equal(got, want) {
			t.Fatalf("%d messages: %d\n%.600s\nwould be forwarded:\n%.600s", n, a.status, got, want)
		}
		saved, _ := rawjson.Value(a.reply).Get("tokens_saved").Int()
		if !a.did("none") {
			compacted++
		}
		if a.did("none") != (saved == 0) {
			t.Errorf("%d messages: %s, %d tokens saved", n, a.header.Get("Killick-Action"), saved)
		}
		if !bytes.HasPrefix(got, bytes.TrimSuffix(before, []byte("]"))) {
			changes++
		}
		before = got
		if inBlocks, err := convert.Messages(body); err == nil && a.did("summary") {
			b := ask(t, g.url+"/v1/compress", inBlocks, header...)
			if b.status != 200 || !b.did("summary") {
				t.Errorf("%d messages in blocks: %d %s", n, b.status, b.reply)
			}
			blocks++
		}
	}
	if compacted < 20 || blocks == 0 || changes > compacted/3 {
		t.Errorf("%d answers compacted, %d in blocks, %d changed beginnings", compacted, blocks,
			changes)
	}
	if n := len(g.upstream.Requests()); n != 0 {
		t.Errorf("%d requests went upstream", n)
	}
}
