package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A conversation that cannot be read now is no bad request: the client may try again, or must send
// less.
func TestConversationsThatCannotBeReadAreNotDeleted(t *testing.T) {
	release := make(chan struct{})
	up := &recorder{answer: func(w http.ResponseWriter, _ *http.Request) {
		<-release
		_, _ = io.WriteString(w, completion)
	}}
	r := newRig(t, up, unchanged, func(o *Options) {
		o.MaxBody, o.MaxHeld, o.Timeouts.BudgetWait = 8<<10, 8<<10, time.Millisecond
	})
	bodyOf := func(size int) string {
		return `{"messages":[{"role":"user","content":"` + strings.Repeat("x", size) + `"}]}`
	}
	erase := func(size int) answer {
		return r.do(r.request(http.MethodDelete, "/killick/conversations",
			strings.NewReader(bodyOf(size))))
	}
	done := make(chan answer)
	go func() { done <- r.chat(bodyOf(6 << 10)) }()
	r.eventually("the chat is in flight", func() bool { return up.count() == 1 })
	if a := erase(4 << 10); a.StatusCode != http.StatusServiceUnavailable ||
		a.Header.Get("Retry-After") == "" {
		t.Errorf("without room: %d %s", a.StatusCode, a.body)
	}
	close(release)
	<-done
	if a := erase(9 << 10); a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d %s", a.StatusCode, a.body)
	}
	if a := erase(4 << 10); a.StatusCode != http.StatusOK {
		t.Errorf("once there is room: %d %s", a.StatusCode, a.body)
	}
}
