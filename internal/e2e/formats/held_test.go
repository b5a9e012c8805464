package formats

import (
	"bytes"
	"slices"
	"sync/atomic"
	"testing"

	"killick/internal/fakeresponses"
	"killick/rawjson"
)

// The server keeps what the model thought and said, and the client refers to it. Then outputs are
// masked where that pays off, everything else is sent as received, and nothing is refused.
func TestTurnsThatTheServerKeeps(t *testing.T) {
	chats := recordedFor(t, "gpt-5.1", 9, 18)
	chats["looping"] = looping("gpt-5.1", 60, 2000)
	var allReceived, allSent atomic.Int64
	t.Cleanup(func() { // after all of them
		if in, out := allReceived.Load(), allSent.Load(); out > in*9/10 {
			t.Errorf("%d of %d bytes were sent", out, in)
		}
	})
	for id, chat := range chats {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			d := newDialog(t, chat, fakeresponses.Config{}, "")
			d.stored, d.fields = true, bytes.Replace(d.fields, []byte(`"store":false,`), nil, 1)
			j := newJourney(t, newDeployment(t, d.up.URL(), between(8000, 4000)))
			received, sent, masked := 0, 0, 0
			for i := range d.turns {
				r := j.at(t, i, len(d.turns))
				d.ask(t, r.Public)
				requests := d.up.Requests()
				body := requests[len(requests)-1].Body
				masked += sameButOutputs(t, d.last, body)
				received, sent = received+len(d.last), sent+len(body)
			}
			if j.end(t); len(d.refs) > 0 {
				t.Errorf("%d records replace turns of which only the server has a part",
					len(d.refs))
			}
			for _, r := range d.up.Requests() {
				if r.Status != 200 {
					t.Errorf("request %d: %d, %+v", r.N, r.Status, r.Findings)
				}
			}
			t.Logf("%d of %d KB sent, %d outputs masked", sent>>10, received>>10, masked)
			if sent > received || masked == 0 && sent < received {
				t.Errorf("%d of %d bytes were sent, with %d outputs masked", sent, received, masked)
			}
			allReceived.Add(int64(received))
			allSent.Add(int64(sent))
		})
	}
}

// sameButOutputs checks that a request was forwarded as received, except for outputs of calls, and
// returns how many of these were replaced.
func sameButOutputs(t *testing.T, received, sent []byte) (replaced int) {
	t.Helper()
	in := slices.Collect(rawjson.Value(received).Get("input").Elements())
	out := slices.Collect(rawjson.Value(sent).Get("input").Elements())
	if len(in) != len(out) {
		t.Fatalf("%d items were sent of %d", len(out), len(in))
	}
	for i := range in {
		if bytes.Equal(in[i], out[i]) {
			continue
		}
		if !out[i].Get("type").Is("function_call_output") ||
			!bytes.Equal(in[i].Get("call_id"), out[i].Get("call_id")) {
			t.Errorf("item %d: %.200s, want %.200s", i, out[i], in[i])
		}
		replaced++
	}
	return replaced
}
