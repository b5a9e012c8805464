package compactor

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/internal/fakemessages"
	"killick/internal/fakemessages/claude"
)

// messagesAPI returns a check that the Messages API accepts what becomes of a request, if it is not
// for a last assistant turn that is the client's.
func messagesAPI(t *testing.T) func(in, out []byte) error {
	// of the models that recordings name
	model := claude.Model{SystemMessages: true, Prefill: true}
	s := fakemessages.New(fakemessages.Config{
		Models: map[string]claude.Model{"gpt-5.1": model, "gpt-4o": model},
	})
	client := newClient(t)
	t.Cleanup(s.Close)
	return func(in, out []byte) error {
		if bytes.Equal(in, out) {
			return nil
		}
		_, err := sendMessages(client, s, out)
		if err != nil && strings.Contains(err.Error(), "final assistant content") {
			return nil
		}
		return err
	}
}

func newClient(t *testing.T) *http.Client {
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// sendMessages returns the reply to a request, or why it was refused.
func sendMessages(client *http.Client, s *fakemessages.Server, body []byte) ([]byte, error) {
	req, err := http.NewRequest(http.MethodPost, s.URL()+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Api-Key", "ann")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	reply, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", res.StatusCode, reply)
	}
	return reply, err
}

func anyAPI(*testing.T) func(in, out []byte) error {
	return func([]byte, []byte) error { return nil }
}
