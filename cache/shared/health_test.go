package shared

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// serverError is what a server answers.
type serverError string

func (e serverError) Error() string { return string(e) }
func (serverError) RedisError()     {}

// An outage that begins with a closed connection and continues with a server that wants another
// password is logged with both causes, each once per outage.
func TestCausesOfAnOutage(t *testing.T) {
	var logged bytes.Buffer
	c := &Client{log: slog.New(slog.NewTextHandler(&logged, nil))}
	c.health.init()
	for range 2 {
		c.health.set(true)
		for range 3 {
			c.markDown(io.EOF)
			c.markDown(unreachable(serverError("WRONGPASS for secret")))
		}
	}
	text := logged.String()
	if strings.Count(text, "does not answer") != 2 || strings.Count(text, "WRONGPASS") != 2 ||
		strings.Contains(text, "for secret") || strings.Count(text, "\n") != 4 ||
		c.count.outages.Load() != 2 {
		t.Errorf("%d outages, logged:\n%s", c.count.outages.Load(), text)
	}
}

// The cause of a failure to reach a server says what to do, and quotes nothing that it sent.
func TestCausesSayWhatToDo(t *testing.T) {
	closed := &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	for _, c := range []struct {
		err  error
		want string
	}{
		{io.EOF, "maxclients"},
		{unreachable(closed), "maxclients"},
		{errors.New(`redis: invalid reply: "<!DOCTYPE hunter2>"`), "correct cache.url"},
		{serverError("NOAUTH hunter2"), "set cache.password"},
		{serverError("ERR max number of clients reached"), "raise its maxclients"},
		{context.DeadlineExceeded, "no answer in time"},
	} {
		got := describe(c.err)
		if !strings.Contains(got, c.want) || strings.Contains(got, "hunter2") {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}
