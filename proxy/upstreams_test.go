package proxy

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"killick/compaction"
	"killick/proxy/auth"
	"killick/proxy/coding/codingtest"
	"killick/proxy/format"
	"killick/proxy/target"
	"killick/rawjson"
)

// The keys of the upstreams, and of their inbound client there.
var upstreamKeys = map[string]string{
	"openai": "sk-of-openai", "anthropic": "sk-of-anthropic", "local": "",
	"team at openai": "sk-openai-of-the-team", "team at anthropic": "sk-anthropic-of-the-team",
}

// inboundKey lets a client in whose keys there are others.
const inboundKey = "an-inbound-key-of-team-a"

// severalRig is a proxy in front of three upstreams: one for models named gpt-* and o3 in two
// formats, one for messages, and one for all else.
func severalRig(t *testing.T, change ...func(*Options)) (*rig, map[string]*recorder) {
	t.Helper()
	ups := map[string]*recorder{}
	base := func(name, path string) *url.URL {
		ups[name] = new(recorder)
		srv := httptest.NewServer(ups[name])
		t.Cleanup(srv.Close)
		u, err := url.Parse(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	list := []target.Upstream{
		{Name: "openai", BaseURL: base("openai", "/openai/v1"), APIKey: upstreamKeys["openai"],
			Takes: target.Rule{Formats: []format.Format{format.Chat, format.Responses},
				Models: []string{"gpt-*", "o3"}}},
		{Name: "anthropic", BaseURL: base("anthropic", "/v1"), APIKey: upstreamKeys["anthropic"],
			KeyHeader: auth.InXAPIKey,
			Takes:     target.Rule{Formats: []format.Format{format.Messages}}},
		{Name: "local", BaseURL: base("local", "/local"),
			Takes: target.Rule{Formats: []format.Format{format.Chat, format.Other}}},
	}
	several := func(o *Options) { o.Upstream, o.Upstreams = target.Upstream{}, list }
	set := append([]func(*Options){several}, change...)
	return newRigAt(t, "http://unused", set...), ups
}

func TestRequestsGoToTheUpstreamThatTakesThem(t *testing.T) {
	for mode, set := range map[string]func(*Options){
		"on": unchanged, "off": func(o *Options) { unchanged(o); o.Mode = ModeOff },
		"no compactor": func(*Options) {},
	} {
		r, ups := severalRig(t, set)
		for _, test := range []struct {
			path, body, coding string
			to, at             string
		}{
			{"/v1/chat/completions", `{"model":"gpt-5","messages":[]}`, "", "openai",
				"/openai/v1/chat/completions"},
			{"/v1/chat/completions", `{"messages":[],"model":"gpt-5"}`, "gzip", "openai",
				"/openai/v1/chat/completions"},
			{"/v1/chat/completions", `{"model":"qwen","messages":[]}`, "", "local",
				"/local/chat/completions"},
			{"/v1/chat/completions", `{"model":"claude-x","messages":[]}`, "zstd", "local",
				"/local/chat/completions"},
			{"/v1/responses", `{"input":"x","model":"o3"}`, "", "openai", "/openai/v1/responses"},
			{"/v1/responses/compact", `{"model":"o3"}`, "", "openai",
				"/openai/v1/responses/compact"},
			{"/v1/messages?beta=true", `{"model":"gpt-5","messages":[]}`, "", "anthropic",
				"/v1/messages?beta=true"},
			{"/v1/messages/count_tokens", `{}`, "", "anthropic", "/v1/messages/count_tokens"},
			{"/v1/embeddings", `{"model":"gpt-5"}`, "", "local", "/local/embeddings"},
			{"/openai/deployments/gpt-5/chat/completions", `{"messages":[]}`, "", "openai",
				"/openai/deployments/gpt-5/chat/completions"},
			// What names no model that can be read goes by its path.
			{"/v1/chat/completions", `no JSON`, "", "openai", "/openai/v1/chat/completions"},
			{"/v1/chat/completions", ``, "", "openai", "/openai/v1/chat/completions"},
		} {
			sent := test.body
			header := []string{"Authorization", "Bearer of-the-client", "X-Api-Key", "also"}
			if test.coding != "" {
				sent = codingtest.Encode(test.coding, test.body)
				header = append(header, "Content-Encoding", test.coding)
			}
			before := ups[test.to].count()
			a := r.do(r.request("POST", test.path, strings.NewReader(sent), header...))
			got := ups[test.to].last()
			if ups[test.to].count() != before+1 || a.StatusCode != 200 {
				t.Fatalf("%s: %s %s: not at %s; answered %d %s", mode, test.path, test.body,
					test.to, a.StatusCode, a.body)
			}
			if got.RequestURI != test.at || string(got.body) != sent {
				t.Errorf("%s: %s: %s %q", mode, test.path, got.RequestURI, got.body)
			}
		}
		// Paths that several APIs have go to Anthropic's with the version that only it requires.
		r.do(r.request("GET", "/v1/models", nil, "Anthropic-Version", "2023-06-01"))
		r.do(r.request("GET", "/v1/models", nil))
		if got, other := ups["anthropic"].last(), ups["local"].last(); got.RequestURI !=
			"/v1/models" || other.RequestURI != "/local/models" {
			t.Errorf("%s: models at %s and %s", mode, got.RequestURI, other.RequestURI)
		}
		// None of these takes requests of Google's clients, who may send their key in the query.
		for _, path := range []string{"/v1/models", "/v1/batches", "/v1beta/files?key=k"} {
			before := ups["local"].count()
			a := r.do(r.request("GET", path, nil, "X-Goog-Api-Key", "k"))
			if a.StatusCode != 404 || ups["local"].count() != before {
				t.Errorf("%s: %s: answered %d %s", mode, path, a.StatusCode, a.body)
			}
		}
		checkKeysStayApart(t, ups)
		r.eventually("the metric", func() bool {
			return r.metric("killick_upstream_requests_total", `upstream="anthropic"`,
				`format="messages"`, `status="2xx"`) == 3
		})
	}
}

// checkKeysStayApart: no upstream got a key of another, and each got its own in the header that
// it wants.
func checkKeysStayApart(t *testing.T, ups map[string]*recorder) {
	t.Helper()
	for name, up := range ups {
		up.mu.Lock()
		list := up.got
		up.mu.Unlock()
		for _, got := range list {
			var all strings.Builder
			_ = got.Header.Write(&all)
			text := all.String() + got.RequestURI
			for other, key := range upstreamKeys {
				if key != "" && other != name && !strings.HasSuffix(other, " "+name) &&
					strings.Contains(text, key) {
					t.Errorf("%s got the key of %s", name, other)
				}
			}
			switch name {
			case "openai":
				key := got.Header.Get("Authorization")
				if target.Azure(got.RequestURI, "") {
					key = "Bearer " + got.Header.Get("Api-Key")
				}
				if !strings.HasPrefix(key, "Bearer sk-") || got.Header["X-Api-Key"] != nil {
					t.Errorf("openai got %v", got.Header)
				}
			case "anthropic":
				if !strings.HasPrefix(got.Header.Get("X-Api-Key"), "sk-") ||
					got.Header["Authorization"] != nil {
					t.Errorf("anthropic got %v", got.Header)
				}
			}
		}
	}
}

func TestInboundKeysHaveKeysOfTheirOwnUpstream(t *testing.T) {
	r, ups := severalRig(t, func(o *Options) {
		o.Keys = []auth.Key{{Name: "team", SHA256: sha256.Sum256([]byte(inboundKey)),
			Upstreams: map[string]string{"openai": upstreamKeys["team at openai"],
				"anthropic": upstreamKeys["team at anthropic"]}}}
	})
	for _, path := range []string{"/v1/chat/completions", "/v1/messages", "/v1/responses"} {
		a := r.do(r.request("POST", path+"?key="+inboundKey,
			strings.NewReader(`{"model":"gpt-5","messages":[]}`), "X-Api-Key", inboundKey))
		if a.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	checkKeysStayApart(t, ups)
	for name, want := range map[string]string{"openai": "Bearer sk-openai-of-the-team",
		"anthropic": "sk-anthropic-of-the-team"} {
		h := ups[name].last().Header
		if got := h.Get("Authorization") + h.Get("X-Api-Key"); got != want ||
			strings.Contains(ups[name].last().RequestURI, inboundKey) {
			t.Errorf("%s got %q", name, got)
		}
	}
}

func TestRequestsThatNoUpstreamTakes(t *testing.T) {
	r, ups := severalRig(t, compacting)
	for path, message := range map[string]func(rawjson.Value) string{
		"/v1/responses": func(v rawjson.Value) string {
			if !v.Get("error").Get("code").Is("no_upstream") {
				return ""
			}
			return v.Get("error").Get("message").Text()
		},
		"/v1/responses/input_tokens": func(v rawjson.Value) string {
			return v.Get("error").Get("message").Text()
		},
	} {
		a := r.do(r.request("POST", path, strings.NewReader(`{"model":"claude-x"}`)))
		got := message(rawjson.Value(a.body))
		if a.StatusCode != 404 ||
			!strings.Contains(got, `format responses for the model "claude-x"`) ||
			!strings.Contains(got, "of an entry of upstreams") {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	messages := func(o *Options) { o.Upstreams = o.Upstreams[:1] }
	r, _ = severalRig(t, messages)
	a := r.do(r.request("POST", "/v1/messages", strings.NewReader(`{}`)))
	v := rawjson.Value(a.body)
	if a.StatusCode != 404 || !v.Get("type").Is("error") ||
		!v.Get("error").Get("type").Is("not_found_error") {
		t.Errorf("messages: %d %s", a.StatusCode, a.body)
	}
	for name, up := range ups {
		if up.count() > 0 {
			t.Errorf("%s got a request", name)
		}
	}
	if line := r.logLine(0); !strings.Contains(line, `"fault":"no_upstream"`) {
		t.Errorf("log: %s", line)
	}
	if n := r.metric("killick_passed_through_total"); n != 0 {
		t.Errorf("%v counted as passed through", n)
	}
}

// A body that is not read for its model is streamed, and a fault names the upstream.
func TestUpstreamsByPathAlone(t *testing.T) {
	first := make(chan string, 1)
	r, ups := severalRig(t)
	ups["anthropic"].answer = func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "{}")
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := make([]byte, 1)
		_, _ = io.ReadFull(r.Body, b)
		first <- string(b)
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer srv.Close()
	r.proxy.upstreams[1].Base = target.NewBase(mustURL(t, srv.URL))
	in, out := io.Pipe()
	go func() {
		_, _ = out.Write([]byte("{"))
		if got := <-first; got != "{" {
			t.Errorf("the upstream got %q first", got)
		}
		_ = out.Close()
	}()
	if a := r.do(r.request("POST", "/v1/messages/count_tokens", in)); a.StatusCode != 200 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	r.proxy.upstreams[1].Base = target.NewBase(mustURL(t, "http://127.0.0.1:1"))
	a := r.do(r.request("POST", "/v1/messages/count_tokens", strings.NewReader("{}")))
	if text := string(a.body); a.StatusCode != 502 ||
		!strings.Contains(text, `base_url of the upstream \"anthropic\"`) {
		t.Errorf("%d %s", a.StatusCode, text)
	}
	if line := r.logLine(1); !strings.Contains(line, `"upstream":"anthropic"`) {
		t.Errorf("log: %s", line)
	}
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// What reaches the Compactor says which upstream a request goes to, and under which key.
func TestCompactorKnowsTheUpstream(t *testing.T) {
	seen := make(chan Request, 1)
	r, _ := severalRig(t, func(o *Options) {
		unchanged(o)
		inner := o.Compactor.(fake)
		compact := inner.compact
		inner.compact = func(ctx context.Context, q Request) compaction.Outcome {
			seen <- q
			return compact(ctx, q)
		}
		o.Compactor = inner
	})
	r.chat(strings.Replace(threeTurns, "{", `{"model":"gpt-5",`, 1), "Authorization", "Bearer c")
	if q := <-seen; q.Upstream != "openai" ||
		q.Credentials.Get("Authorization") != "Bearer "+upstreamKeys["openai"] ||
		!strings.HasSuffix(q.URL.Path, "/openai/v1/chat/completions") {
		t.Errorf("got %q, %v, %v", q.Upstream, q.URL, q.Credentials)
	}
	r.chat(strings.Replace(threeTurns, "{", `{"model":"qwen",`, 1), "Authorization", "Bearer c")
	if q := <-seen; q.Upstream != "local" || q.Credentials.Get("Authorization") != "Bearer c" {
		t.Errorf("got %q, %v", q.Upstream, q.Credentials)
	}
}
