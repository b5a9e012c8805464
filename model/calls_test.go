package model

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/model/endpoint"
)

const nowhere = "http://upstream.example/v1"

// Secrets in the requests and replies of calls. None may be in an error or in a reason.
var secrets = []string{
	"sk-operator-0123456789abcdef", "sk-client-0123456789abcdef", "hunter2",
	"the user's own words", "the endpoint's own words",
}

// always answers every request in the same way.
func always(status int, body string) wire {
	return func(*http.Request) (*http.Response, error) { return response(status, body), nil }
}

func TestErrorsHoldNoSecret(t *testing.T) {
	const errorBody = `{"error":{"message":"Incorrect API key sk-operator-0123456789abcdef for ` +
		`the user's own words; the endpoint's own words","type":"x","code":"y"}}`
	answers := map[string]wire{
		"an error in OpenAI's shape": always(401, errorBody),
		"an error in no shape": always(500,
			"<html>the endpoint's own words, sk-client-0123456789abcdef</html>"),
		"no completion": always(200, "the endpoint's own words"),
		"no choice":     always(200, `{"choices":[]}`),
		"another type": always(200,
			`{"choices":[{"message":{"content":7}}],"note":"the endpoint's own words"}`),
		"a redirect": func(*http.Request) (*http.Response, error) {
			r := response(307, "")
			r.Header.Set("Location", "http://elsewhere.example/?key=hunter2")
			return r, nil
		},
		"a broken connection": func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("proxyconnect tcp: http://joe:hunter2@proxy: %s %s: %w",
				r.Header.Get("Authorization"), r.URL, io.ErrUnexpectedEOF)
		},
		"an answer without end": func(*http.Request) (*http.Response, error) {
			r := response(200, "")
			start := strings.NewReader(`{"choices":[{"message":{"content":"`)
			r.Body = io.NopCloser(io.MultiReader(start, endless{}))
			return r, nil
		},
		"an error without end": func(*http.Request) (*http.Response, error) {
			r := response(500, "")
			r.Body = io.NopCloser(endless{})
			return r, nil
		},
		"an answer that says them all": always(200, completion(strings.Join(secrets, " "))),
	}
	for name, answer := range answers {
		for way, call := range map[string]Call{
			"standalone": {},
			"append": {
				Prefix: body("", message("user", "the user's own words")),
				URL:    "http://joe:hunter2@upstream.example/v1?key=hunter2",
				Header: http.Header{"Authorization": {"Bearer sk-client-0123456789abcdef"}},
			},
		} {
			c := New(Options{
				BaseURL: nowhere, Name: "writer", APIKey: secrets[0], Transport: answer,
			})
			span := Span{Messages: chattest.Messages(t, message("user", "the user's own words"))}
			w, err := c.Statements(t.Context(), call, span)
			if err == nil || Reason(err) == "other" || w.Usage.Calls == 0 {
				t.Errorf("%s, %s: %v (%s) after %d calls, want a known error",
					name, way, err, Reason(err), w.Usage.Calls)
				continue
			}
			for _, secret := range secrets {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s, %s: the error says %q: %v", name, way, secret, err)
				}
			}
		}
	}
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// The requests that are sent, with their credentials.
func TestCredentials(t *testing.T) {
	client := http.Header{"Authorization": {"Bearer client"}, "Openai-Organization": {"org"}}
	operator := http.Header{"Authorization": {"Bearer operator"}}
	azure := http.Header{"Api-Key": {"client"}}
	hello := body("", message("user", "hello"))
	const (
		ours      = "http://own.example/v1/chat/completions"
		upstream  = "http://upstream.example/v1/chat/completions?api-version=1"
		deployed  = "http://upstream.example/openai/deployments/d/chat/completions?api-version=1"
		ownServer = "http://own.example/v1"
	)
	for _, test := range []struct {
		name string
		opt  Options
		call Call
		url  string
		want http.Header
	}{
		{"the operator's key",
			Options{BaseURL: ownServer + "/", Name: "writer", APIKey: "operator"},
			Call{URL: upstream, Header: client}, ours, operator},
		{"a model without a key, for the client", Options{BaseURL: ownServer, Name: "writer"},
			Call{Header: client}, ours, client},
		{"a model at the upstream", Options{Name: "writer"},
			Call{URL: upstream, Header: azure}, upstream, azure},
		{"the client's own model",
			Options{BaseURL: ownServer, Name: "writer", APIKey: "operator"},
			Call{Prefix: hello, URL: deployed, Header: azure}, deployed, azure},
	} {
		var got *http.Request
		answer := good
		if test.call.Prefix != nil {
			answer = goodAppend
		}
		test.opt.Transport = wire(func(r *http.Request) (*http.Response, error) {
			got = r
			return response(200, completion(answer)), nil
		})
		if _, err := New(test.opt).Statements(t.Context(), test.call, oneTurn(t)); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got.URL.String() != test.url || got.Host != got.URL.Host {
			t.Errorf("%s: sent to %s (host %s), want %s", test.name, got.URL, got.Host, test.url)
		}
		for _, name := range []string{"Authorization", "Api-Key", "Openai-Organization"} {
			if got.Header.Get(name) != test.want.Get(name) {
				t.Errorf("%s: %s is %q, want %q",
					test.name, name, got.Header.Get(name), test.want.Get(name))
			}
		}
	}
}

func TestCallsThatCannotBeMade(t *testing.T) {
	none := wire(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, io.EOF
	})
	c := New(Options{Transport: none})
	hello := message("user", "hello")
	for name, call := range map[string]Call{
		"nothing":           {},
		"no address":        {Prefix: body("", hello)},
		"half an address":   {Prefix: body("", hello), URL: "/v1/chat/completions"},
		"no JSON":           {Prefix: []byte("hunter2"), URL: nowhere},
		"no messages":       {Prefix: []byte(`{"model":"m"}`), URL: nowhere},
		"no model":          {Prefix: []byte(`{"messages":[` + hello + `]}`), URL: nowhere},
		"a broken address":  {Prefix: body("", hello), URL: "http://hunter2 %zz"},
		"nothing to append": {URL: nowhere},
	} {
		_, err := c.Statements(t.Context(), call, oneTurn(t))
		if !errors.Is(err, endpoint.ErrRejected) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want a rejection", name, err)
		}
	}
	named := New(Options{Name: "writer", BaseURL: "http://own.example/v1", Transport: none})
	_, err := named.Statements(t.Context(), Call{}, Span{})
	if !errors.Is(err, endpoint.ErrRejected) {
		t.Errorf("no turns: %v, want a rejection", err)
	}
	_, _, err = named.Questions(t.Context(), Call{}, Span{}, 3)
	if !errors.Is(err, endpoint.ErrRejected) {
		t.Errorf("questions about no turns: %v, want a rejection", err)
	}
}
