package format

import (
	"net/http"
	"reflect"
	"testing"
)

func TestSummariesAreNamedInTheHeader(t *testing.T) {
	for name, c := range map[string]struct {
		format    Format
		sent, out []string
	}{
		"none":            {Messages, nil, []string{betaSummary}},
		"others":          {Messages, []string{"a,b"}, []string{"a,b," + betaSummary}},
		"several":         {Messages, []string{"a", "b"}, []string{"a", "b," + betaSummary}},
		"named already":   {Messages, []string{"a, " + betaSummary}, []string{"a, " + betaSummary}},
		"another format":  {Responses, nil, nil},
		"and its headers": {Chat, []string{"a"}, []string{"a"}},
	} {
		client := http.Header{}
		if c.sent != nil {
			client[betaHeader] = c.sent
		}
		h := client.Clone()
		c.format.AllowSummary(h)
		if got := h[betaHeader]; !reflect.DeepEqual(got, c.out) {
			t.Errorf("%s: %q, want %q", name, got, c.out)
		}
		c.format.WithdrawSummary(h, client)
		if !reflect.DeepEqual(h, client) {
			t.Errorf("%s: %q is left, the client sent %q", name, h, client)
		}
	}
}
