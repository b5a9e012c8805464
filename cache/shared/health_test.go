package shared

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
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
