package wire

import (
	"math"
	"net/url"
	"testing"
	"time"

	"killick/internal/config"
	"killick/messages"
	"killick/proxy"
	"killick/view"
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

// Where no call of ours can go to the client's address, only models with addresses of their own
// write.
func TestWritersAtAddressesForTheClientAlone(t *testing.T) {
	chat, err := view.Parse(messages.Format,
		[]byte(`{"model":"claude-opus-5-5","messages":[{"role":"user","content":"a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		summarizer, address string
		clientOnly, want    bool
	}{
		"the client's model":          {"model", "", false, true},
		"the same, client alone":      {"model", "", true, false},
		"an address of its own":       {"model", "https://models.example/v1", true, true},
		"the provider":                {config.SummarizerProvider, "", false, true},
		"the provider, client alone":  {config.SummarizerProvider, "", true, false},
		"the provider, and addresses": {config.SummarizerProvider, "http://m.test", true, false},
	} {
		c := config.Default()
		c.Compaction.Summarizer, c.Model.BaseURL = test.summarizer, test.address
		if test.address != "" {
			c.Model.Name = "small"
		}
		s := &summaries{config: &c, reports: newSummaryReports(nil, nil)}
		got := s.writers(proxy.Request{Chat: chat, URL: &url.URL{}, ClientOnly: test.clientOnly})
		if any := got.Author != nil || got.Summarizer != nil; any != test.want {
			t.Errorf("%s: a writer: %t, want %t", name, any, test.want)
		}
	}
}
