package compactor

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"killick/internal/fakemessages"
)

// messagesAPI returns a check that the Messages API accepts what becomes of a request that it
// accepts.
func messagesAPI(t *testing.T) func(in, out []byte) error {
	// of the models that recordings name
	model := fakemessages.Model{SystemMessages: true, Prefill: true}
	s := fakemessages.New(fakemessages.Config{
		Models: map[string]fakemessages.Model{"gpt-5.1": model, "gpt-4o": model},
	})
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		s.Close()
	})
	refusal := func(body []byte) error {
		res, err := client.Post(s.URL()+"/v1/messages", "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		reply, err := io.ReadAll(res.Body)
		if err == nil && res.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d: %s", res.StatusCode, reply)
		}
		return err
	}
	return func(in, out []byte) error {
		if bytes.Equal(in, out) {
			return nil
		}
		err := refusal(out)
		if err != nil && refusal(in) != nil {
			return nil
		}
		return err
	}
}

func anyAPI(*testing.T) func(in, out []byte) error {
	return func([]byte, []byte) error { return nil }
}
