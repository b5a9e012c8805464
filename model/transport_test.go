package model

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"killick/internal/upstreamtest"
)

// Secrets that stand in what a call is made with and in what comes back. None may
// stand in an error or in a reason.
var secrets = []string{"sk-operator-0123456789abcdef", "sk-client-0123456789abcdef", "hunter2", "the user's own words", "the endpoint's own words"}

func TestErrorsHoldNoSecret(t *testing.T) {
	const errorBody = `{"error":{"message":"Incorrect API key sk-operator-0123456789abcdef for the user's own words; the endpoint's own words","type":"x","code":"y"}}`
	answers := map[string]func(*http.Request) (*http.Response, error){
		"an error in OpenAI's shape": func(*http.Request) (*http.Response, error) { return response(401, errorBody), nil },
		"an error in no shape": func(*http.Request) (*http.Response, error) {
			return response(500, "<html>the endpoint's own words, sk-client-0123456789abcdef</html>"), nil
		},
		"no completion": func(*http.Request) (*http.Response, error) {
			return response(200, "the endpoint's own words"), nil
		},
		"no choice": func(*http.Request) (*http.Response, error) { return response(200, `{"choices":[]}`), nil },
		"another type": func(*http.Request) (*http.Response, error) {
			return response(200, `{"choices":[{"message":{"content":7}}],"note":"the endpoint's own words"}`), nil
		},
		"a redirect": func(*http.Request) (*http.Response, error) {
			r := response(307, "")
			r.Header.Set("Location", "http://elsewhere.example/?key=hunter2")
			return r, nil
		},
		"a broken connection": func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("proxyconnect tcp: http://joe:hunter2@proxy: %s %s: %w", r.Header.Get("Authorization"), r.URL, io.ErrUnexpectedEOF)
		},
		"an answer without end": func(*http.Request) (*http.Response, error) {
			r := response(200, "")
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"choices":[{"message":{"content":"`), endless{}))
			return r, nil
		},
		"an error without end": func(*http.Request) (*http.Response, error) {
			r := response(500, "")
			r.Body = io.NopCloser(endless{})
			return r, nil
		},
		"an answer that says them all": func(*http.Request) (*http.Response, error) {
			return response(200, completion(strings.Join(secrets, " "))), nil
		},
	}
	for name, answer := range answers {
		for way, call := range map[string]Call{
			"standalone": {},
			"append": {Prefix: body("", message("user", "the user's own words")), URL: "http://joe:hunter2@upstream.example/v1?key=hunter2",
				Header: http.Header{"Authorization": {"Bearer sk-client-0123456789abcdef"}}},
		} {
			c := New(Options{BaseURL: "http://upstream.example/v1", Name: "writer", APIKey: secrets[0], Transport: wire(answer)})
			w, err := c.Statements(t.Context(), call, Span{Messages: messages(t, message("user", "the user's own words"))})
			if err == nil || Reason(err) == "other" || w.Spent.Calls == 0 {
				t.Errorf("%s, %s: %v (%s) after %d calls, want a known error", name, way, err, Reason(err), w.Spent.Calls)
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

func TestRedirectsAreNotFollowed(t *testing.T) {
	calls := 0
	c := New(Options{BaseURL: "http://upstream.example/v1", Name: "writer", APIKey: "operator", Transport: wire(func(*http.Request) (*http.Response, error) {
		calls++
		r := response(308, "")
		r.Header.Set("Location", "http://elsewhere.example/")
		return r, nil
	})})
	if _, err := c.Statements(t.Context(), Call{}, oneTurn(t)); !errors.Is(err, ErrUnavailable) || calls != 1 {
		t.Errorf("%d calls, %v; want one, and the model unavailable", calls, err)
	}
}

// What goes out, and as whom.
func TestCredentials(t *testing.T) {
	for _, test := range []struct {
		name string
		opt  Options
		call Call
		url  string
		want http.Header
	}{
		{"the operator's key", Options{BaseURL: "http://own.example/v1/", Name: "writer", APIKey: "operator"},
			Call{URL: "http://upstream.example/v1/chat/completions", Header: http.Header{"Authorization": {"Bearer client"}, "Openai-Organization": {"org"}}},
			"http://own.example/v1/chat/completions", http.Header{"Authorization": {"Bearer operator"}}},
		{"a model without a key, for the client", Options{BaseURL: "http://own.example/v1", Name: "writer"},
			Call{Header: http.Header{"Authorization": {"Bearer client"}, "Openai-Organization": {"org"}}},
			"http://own.example/v1/chat/completions", http.Header{"Authorization": {"Bearer client"}, "Openai-Organization": {"org"}}},
		{"a model at the upstream", Options{Name: "writer"},
			Call{URL: "http://upstream.example/v1/chat/completions?api-version=1", Header: http.Header{"Api-Key": {"client"}}},
			"http://upstream.example/v1/chat/completions?api-version=1", http.Header{"Api-Key": {"client"}}},
		{"the client's own model", Options{BaseURL: "http://own.example/v1", Name: "writer", APIKey: "operator"},
			Call{Prefix: body("", message("user", "hello")), URL: "http://upstream.example/openai/deployments/d/chat/completions?api-version=1", Header: http.Header{"Api-Key": {"client"}}},
			"http://upstream.example/openai/deployments/d/chat/completions?api-version=1", http.Header{"Api-Key": {"client"}}},
	} {
		var got *http.Request
		answer := good
		test.opt.Transport = wire(func(r *http.Request) (*http.Response, error) {
			got = r
			return response(200, completion(answer)), nil
		})
		if test.call.Prefix != nil {
			answer = goodAppend
		}
		if _, err := New(test.opt).Statements(t.Context(), test.call, oneTurn(t)); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got.URL.String() != test.url || got.Host != got.URL.Host {
			t.Errorf("%s: sent to %s (host %s), want %s", test.name, got.URL, got.Host, test.url)
		}
		for _, name := range []string{"Authorization", "Api-Key", "Openai-Organization"} {
			if got.Header.Get(name) != test.want.Get(name) {
				t.Errorf("%s: %s is %q, want %q", test.name, name, got.Header.Get(name), test.want.Get(name))
			}
		}
	}
}

func TestCallsThatCannotBeMade(t *testing.T) {
	c := New(Options{Transport: wire(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, io.EOF
	})})
	hello := message("user", "hello")
	for name, call := range map[string]Call{
		"nothing":           {},
		"no address":        {Prefix: body("", hello)},
		"half an address":   {Prefix: body("", hello), URL: "/v1/chat/completions"},
		"no JSON":           {Prefix: []byte("hunter2"), URL: "http://upstream.example/v1"},
		"no messages":       {Prefix: []byte(`{"model":"m"}`), URL: "http://upstream.example/v1"},
		"no model":          {Prefix: []byte(`{"messages":[` + hello + `]}`), URL: "http://upstream.example/v1"},
		"a broken address":  {Prefix: body("", hello), URL: "http://hunter2 %zz"},
		"nothing to append": {URL: "http://upstream.example/v1"},
	} {
		if _, err := c.Statements(t.Context(), call, oneTurn(t)); !errors.Is(err, ErrRejected) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want a rejection", name, err)
		}
	}
	named := New(Options{Name: "writer", BaseURL: "http://own.example/v1", Transport: c.opt.Transport})
	if _, err := named.Statements(t.Context(), Call{}, Span{}); !errors.Is(err, ErrRejected) {
		t.Errorf("no turns: %v, want a rejection", err)
	}
	if _, _, err := named.Questions(t.Context(), Call{}, Span{}, 3); !errors.Is(err, ErrRejected) {
		t.Errorf("questions about no turns: %v, want a rejection", err)
	}
}

func TestAnEndpointThatIsNotThere(t *testing.T) {
	s := upstreamtest.New(upstreamtest.Config{})
	s.Close()
	c := New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t)})
	if _, err := c.Statements(t.Context(), Call{}, oneTurn(t)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("%v, want the model unavailable", err)
	}
	hang := start(t, upstreamtest.Config{Fault: func(int, *http.Request) upstreamtest.Fault { return upstreamtest.Fault{CutBytes: 5, Reset: true} }})
	c = New(Options{BaseURL: hang.URL(), Name: "writer", Transport: transport(t)})
	if _, err := c.Statements(t.Context(), Call{}, oneTurn(t)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a reply that breaks off: %v, want the model unavailable", err)
	}
}

func TestAConnectionThatTimesOut(t *testing.T) {
	c := New(Options{BaseURL: "http://upstream.example/v1", Name: "writer", Transport: wire(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	})})
	if _, err := c.Statements(t.Context(), Call{}, oneTurn(t)); !errors.Is(err, ErrUnavailable) || !strings.HasSuffix(err.Error(), "timed out") {
		t.Errorf("%v, want the model unavailable", err)
	}
	slow := New(Options{BaseURL: "http://upstream.example/v1", Name: "writer", Timeout: time.Millisecond, Transport: wire(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})})
	if _, err := slow.Statements(t.Context(), Call{}, oneTurn(t)); Reason(err) != "timeout" {
		t.Errorf("%v, want a time-out", err)
	}
}

// go-openai refuses to send max_tokens for names that look like OpenAI's reasoning
// models. An endpoint that knows no other bound is asked without one.
func TestAReasoningModelBehindAnOldEndpoint(t *testing.T) {
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}, Unsupported: []string{"max_completion_tokens"}})
	c := New(Options{BaseURL: s.URL(), Name: "gpt-5-mini", Transport: transport(t)})
	for i := range 2 {
		w, err := c.Statements(t.Context(), Call{}, oneTurn(t))
		if err != nil {
			t.Fatalf("summary %d: %v", i+1, err)
		}
		if want := 2 - i; w.Spent.Calls != want {
			t.Errorf("summary %d took %d calls, want %d", i+1, w.Spent.Calls, want)
		}
	}
}
