package proxy

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"killick/compaction"
)

// On a full disk each write of a request is refused: the log has one line for all of them.
func TestLogHasALineForEachKindOfInternalError(t *testing.T) {
	r := newRig(t, new(recorder), func(o *Options) {
		o.Compactor = fake{compact: func(_ context.Context, req Request) compaction.Outcome {
			return compaction.Outcome{Body: req.Chat.Raw(), FailOpens: []compaction.FailOpen{
				{Reason: "store_write", Err: errors.New("writing originals: full")},
				{Reason: "store_write", Err: errors.New("writing a checkpoint: full")},
				{Reason: "empty"},
				{Reason: "store_write", Err: errors.New("writing originals: full")},
			}}
		}}
	})
	r.chat(threeTurns)
	r.logLine(0)
	logged := r.logs.String()
	if strings.Count(logged, `"failed open"`) != 2 ||
		!strings.Contains(logged, `"cause":"writing originals: full","times":3}`) {
		t.Errorf("want a line for each reason:\n%s", logged)
	}
	if n := r.metric("killick_fail_opens_total", `reason="store_write"`); n != 3 {
		t.Errorf("%v are counted, want 3", n)
	}
}

// A client whose base URL should have ended before /v1 gets the upstream's 404, and the log says
// why.
func TestLogSaysThatAPathHasItsVersionTwice(t *testing.T) {
	missing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Not Found", http.StatusNotFound)
	})
	for path, want := range map[string]bool{
		"/v1/v1/messages":      true,
		"/v1/v1/models":        true,
		"/v1/messages":         false,
		"/v1/models/v1/v1":     false,
		"/v1/v1beta/something": false,
	} {
		r := newRig(t, missing)
		a := r.do(r.request("POST", path, strings.NewReader(`{"messages":[]}`)))
		if a.StatusCode != http.StatusNotFound || string(a.body) != "Not Found\n" {
			t.Errorf("%s: %d %q, want the upstream's reply", path, a.StatusCode, a.body)
		}
		line := r.logLine(0)
		if strings.Contains(line, `"hint":`) != want || strings.Contains(line, "WARN") != want {
			t.Errorf("%s: log: %s", path, line)
		}
	}
}
