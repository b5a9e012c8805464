package proxy

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/proxy/auth"
	"killick/rawjson"
)

// errorShapes are paths, and where an error's type, message and word are in their format.
var errorShapes = map[string]struct {
	typ, code func(rawjson.Value) string
}{
	"/v1/chat/completions":      {openaiType, openaiCode},
	"/v1/responses":             {openaiType, openaiCode},
	"/v1/responses/compact":     {openaiType, openaiCode},
	"/v1/embeddings":            {openaiType, openaiCode},
	"/v1/messages":              {anthropicType, nil},
	"/v1/messages?beta=true":    {anthropicType, nil},
	"/v1/messages/count_tokens": {anthropicType, nil},
}

func openaiType(v rawjson.Value) string { return v.Get("error").Get("type").Text() }
func openaiCode(v rawjson.Value) string { return v.Get("error").Get("code").Text() }

func anthropicType(v rawjson.Value) string {
	if !v.Get("type").Is("error") || v.Get("request_id").Text() == "" {
		return ""
	}
	return v.Get("error").Get("type").Text()
}

// Errors of ours have the shape of the format that was asked for.
func TestFaultsInTheShapeOfTheFormat(t *testing.T) {
	const key = "an-inbound-key-of-team-a"
	keyed := func(o *Options) {
		o.Keys = []auth.Key{{Name: "team-a", SHA256: sha256.Sum256([]byte(key))}}
	}
	for _, test := range []struct {
		name              string
		header            []string
		status            int
		openai, anthropic string
		code              string
	}{
		{"no key", nil, 401, "invalid_request_error", "authentication_error", "invalid_api_key"},
		{"refused", []string{"X-Api-Key", key}, 502, "upstream_error", "api_error",
			"upstream_refused"},
	} {
		r := newRigAt(t, "http://127.0.0.1:1", keyed)
		for path, shape := range errorShapes {
			req := r.request("POST", path, strings.NewReader(threeTurns), test.header...)
			req.Close = true // the connection of a refused upload is closed
			a := r.do(req)
			v, want := rawjson.Value(a.body), test.openai
			if shape.code == nil {
				want = test.anthropic
				if id := v.Get("request_id").Text(); id != a.Header.Get("Request-Id") {
					t.Errorf("%s: the header says %q", path, a.Header.Get("Request-Id"))
				}
			} else if got := shape.code(v); got != test.code {
				t.Errorf("%s, %s: code %q, want %q", test.name, path, got, test.code)
			}
			if got := a.Header.Get("X-Should-Retry"); (got == "false") != (test.status == 401) {
				t.Errorf("%s, %s: X-Should-Retry is %q", test.name, path, got)
			}
			if got := shape.typ(v); a.StatusCode != test.status || got != want ||
				v.Get("error").Get("message").Text() == "" {
				t.Errorf("%s, %s: %d %s; want %d, type %s", test.name, path, a.StatusCode, a.body,
					test.status, want)
			}
		}
	}
}

// A stream that is cut off never ends well, and nothing is added to it, since clients retry after a
// connection that breaks. For a client of HTTP/1.0, where the end of a connection is that of a
// reply, one that is cut between two events ends in an event that says so, in its format.
func TestStreamsThatAreCut(t *testing.T) {
	const first = "data: {\"type\":\"x\"}\n\n"
	for path, want := range map[string]string{
		chatPath: `data: {"error":{"message":`,
		"/v1/messages": "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":" +
			"\"api_error\"",
		"/v1/responses": "event: error\ndata: {\"type\":\"error\",\"code\":\"upstream_cut\"",
		"/v1/other":     "",
	} {
		for _, within := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, within an event: %t", path, within), func(t *testing.T) {
				sent := first
				if within {
					sent += "data: {\"ty"
				}
				r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, sent)
					_ = http.NewResponseController(w).Flush()
					panic(http.ErrAbortHandler)
				}))
				a := r.do(r.request("POST", path, strings.NewReader(threeTurns)))
				if a.err == nil || string(a.body) != sent {
					t.Errorf("got %q, %v; want %q and an aborted connection", a.body, a.err, sent)
				}

				conn := r.dial()
				_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s", path,
					len(threeTurns), threeTurns)
				all, _ := io.ReadAll(conn)
				_, got, _ := strings.Cut(string(all), "\r\n\r\n"+sent)
				if within || want == "" {
					if got != "" {
						t.Errorf("HTTP/1.0: got %q after what the upstream sent", got)
					}
				} else if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "}\n\n") {
					t.Errorf("HTTP/1.0: got %q, want %q", got, want)
				}
			})
		}
	}
}
