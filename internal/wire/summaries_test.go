package wire

import (
	"math"
	"testing"
	"time"

	"killick/internal/config"
)

// A time-out of centuries leaves time to write.
func TestLongTimeoutsDoNotOverflow(t *testing.T) {
	c := config.Default()
	c.Model.Timeout = math.MaxInt64
	s := &summaries{config: &c, reports: newSummaryReports(nil, nil)}
	if got := s.writing().WriteTimeout; got < time.Hour {
		t.Errorf("%v to write, want hours at least", got)
	}
}
