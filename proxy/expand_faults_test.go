//go:build !race

// Left out under the race detector: compiling the SDKs for it takes minutes. internal/e2e expands
// under it.

package proxy

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/proxy/expand"
)

// Where the upstream does not go on, its error is the reply; a stream that has begun is aborted.
func TestExpandWhereTheUpstreamFails(t *testing.T) {
	replies := []modelReply{
		{text: "It was left out.", calls: []modelCall{expandKept}},
		{status: http.StatusTooManyRequests},
	}
	inEachFormat(t, replies, func(t *testing.T, x *expandRun) {
		text, calls, err := x.agent.next(x.ctx, x.stream)
		if err == nil {
			t.Fatalf("the client got %q and %v", text, calls)
		}
		if x.stream {
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("the client got %v, want an aborted connection", err)
			}
		} else if !strings.Contains(err.Error(), "429") {
			t.Errorf("the client got %v, want the upstream's error", err)
		}
		if a, f := x.counted(expand.Answered), x.counted(expand.UpstreamFailed); a != 1 || f != 1 {
			t.Errorf("%d answered and %d failed, want 1 and 1", a, f)
		}
	})
}

// A turn that was cut short is not answered, and says so to the client.
func TestExpandInATurnThatWasCut(t *testing.T) {
	inEachFormat(t, []modelReply{{text: "It was", calls: []modelCall{expandKept}, cut: true}},
		func(t *testing.T, x *expandRun) {
			if text, calls := x.turn(); text != "It was" || len(calls) > 0 {
				t.Errorf("the client got %q and %v", text, calls)
			}
			if got := x.counted(expand.Unfinished); got != 1 || len(x.up.requests()) != 1 {
				t.Errorf("%d unfinished in %d requests, want 1 in 1", got, len(x.up.requests()))
			}
		})
}

// However a stream is cut into pieces, and whatever it is encoded with, the client gets the same.
func TestExpandInPieces(t *testing.T) {
	replies := []modelReply{
		{text: "Ünder ✓ way.", calls: []modelCall{expandKept}, pieces: 1},
		{text: "The port is 4711.", calls: []modelCall{readCall("a.go")}, pieces: 3},
	}
	inEachFormat(t, replies, func(t *testing.T, x *expandRun) {
		text, calls := x.turn()
		want := "The port is 4711."
		if x.stream {
			want = "Ünder ✓ way." + want
		}
		if text != want || len(calls) != 1 {
			t.Errorf("text %q with %v, want %q", text, calls, want)
		}
	})
}

// The metrics have what all replies cost; the Compactor learns from that of the request that it
// counted; the client sees the size of the last.
func TestUsageOfExpandedReplies(t *testing.T) {
	replies := []modelReply{{calls: []modelCall{expandKept}}, {text: "Done."}}
	inEachFormat(t, replies, func(t *testing.T, x *expandRun) {
		x.turn()
		sum := 0
		for _, u := range x.up.usages() {
			sum += u
		}
		format, _, _ := strings.Cut(x.format, " ")
		x.rig.eventually("the tokens of all replies are counted", func() bool {
			return int(x.rig.metric("killick_upstream_tokens_total", `format="`+format+`"`,
				`kind="prompt"`)) == sum
		})
		if learned := int(x.learned.Load()); learned != x.up.usages()[0] {
			t.Errorf("a prompt of %d is learned, want %d", learned, x.up.usages()[0])
		}
		if seen := x.agent.prompt(); seen != x.up.usages()[1] {
			t.Errorf("the client saw a prompt of %d, want %d", seen, x.up.usages()[1])
		}
	})
}
