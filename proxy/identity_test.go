package proxy

import (
	"context"
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"testing"

	"killick/compaction"
	"killick/proxy/auth"
)

// whoOf returns the Who that the Compactor gets for a request with these headers.
func whoOf(t *testing.T, set func(*Options), query string, headers ...string) string {
	t.Helper()
	var who string
	r := newRig(t, new(recorder), func(o *Options) {
		o.Who = func(parts ...string) string {
			return "0123456789abcdef" +
				strings.Join(parts, "\x01")
		}
		o.Compactor = fake{compact: func(_ context.Context, r Request) compaction.Outcome {
			who = r.Who
			return compaction.Outcome{Body: r.Chat.Raw()}
		}}
		if set != nil {
			set(o)
		}
	})
	r.do(r.request("POST", chatPath+query, strings.NewReader(threeTurns), headers...))
	return who
}

// TestEverySenderIsItsOwn: whatever may differ between two senders makes them two.
func TestEverySenderIsItsOwn(t *testing.T) {
	seen := map[string]int{}
	type sender struct {
		query   string
		headers []string
	}
	senders := []sender{
		{"", nil},
		{"", []string{"Authorization", "Bearer a"}},
		{"", []string{"Authorization", "Bearer b"}},
		{"", []string{"Authorization", "Bearer a", "Authorization", "Bearer b"}},
		{"", []string{"Authorization", "Bearer a", "OpenAI-Organization", "o1"}},
		{"", []string{"Authorization", "Bearer a", "OpenAI-Organization", "o2"}},
		{"", []string{"Authorization", "Bearer a", "OpenAI-Project", "o1"}},
		{"", []string{"Authorization", "Bearer a", "OpenAI-Organization", "o1", "OpenAI-Project",
			"o1"}},
		{"", []string{"api-key", "Bearer a"}},
		{"", []string{"x-api-key", "Bearer a"}},
		{"", []string{"x-goog-api-key", "Bearer a"}},
		{"", []string{"Ocp-Apim-Subscription-Key", "Bearer a"}},
		{"", []string{"Authorization", "AWS4-HMAC-SHA256 Credential=ID1/2026/r/s/aws4_request"}},
		{"", []string{"Authorization", "AWS4-HMAC-SHA256 Credential=ID2/2026/r/s/aws4_request"}},
		{"", []string{"Cookie", "sid=a"}},
		{"", []string{"Cookie", "sid=b"}},
		{"?key=a", nil},
		{"?api-key=a", nil},
		{"?key=b", nil},
		{"?key=a&key=b", nil},
		{"?tenant=a", nil},
		{"?a", nil},
	}
	for _, name := range []string{
		"Proxy-Authorization", "Cf-Aig-Authorization", "Cf-Access-Client-Id",
		"Cf-Access-Client-Secret", "X-Portkey-Api-Key", "X-Portkey-Virtual-Key", "Helicone-Auth",
		"X-Litellm-Api-Key", "X-Amz-Security-Token", "X-Goog-User-Project", "Apikey",
		"X-Functions-Key", "X-Rapidapi-Key", "X-Auth-Token", "Chatgpt-Account-Id",
		"X-Openwebui-User-Id", "X-Forwarded-User", "X-Amzn-Oidc-Identity",
		"X-Forwarded-Client-Cert", "X-Of_A_Gateway_token",
	} {
		for _, value := range []string{"a", "b"} {
			senders = append(senders, sender{"", []string{name, value}})
		}
	}
	for i, s := range senders {
		who := whoOf(t, nil, s.query, s.headers...)
		if j, ok := seen[who]; ok {
			t.Errorf("%v shares with %v", s, senders[j])
		}
		seen[who] = i
	}
	same := whoOf(t, nil, "?api-version=1", "Authorization", "Bearer a", "X-Session-Id", "1",
		"User-Agent", "x", "Cookie", "__cf_bm=1")
	if i, ok := seen[same]; !ok || i != 1 {
		t.Errorf("what does not tell senders apart does: got %q", same)
	}
}

func TestIsolationByHeader(t *testing.T) {
	by := func(o *Options) { o.Isolation = "header:x-tenant" }
	a1 := whoOf(t, by, "", "Authorization", "Bearer 1", "X-Tenant", "a")
	a2 := whoOf(t, by, "", "Authorization", "Bearer 2", "X-Tenant", "a")
	b := whoOf(t, by, "", "Authorization", "Bearer 1", "X-Tenant", "b")
	none1 := whoOf(t, by, "", "Authorization", "Bearer 1")
	none2 := whoOf(t, by, "", "Authorization", "Bearer 2")
	if a1 != a2 {
		t.Error("one tenant with two tokens is two")
	}
	if a1 == b || none1 == none2 || none1 == a1 {
		t.Error("tenants share, or those without one do")
	}
	// A gateway may send the header without a value for whoever has no tenant.
	empty1 := whoOf(t, by, "", "Authorization", "Bearer 1", "X-Tenant", "")
	empty2 := whoOf(t, by, "", "Authorization", "Bearer 2", "X-Tenant", "", "X-Tenant", "")
	if empty1 != none1 || empty2 != none2 {
		t.Error("an empty tenant is not the credential's own")
	}
}

func TestProcessHash(t *testing.T) {
	h, other := auth.ProcessHash(), auth.ProcessHash()
	if first, again := h("a", "b"), h("a", "b"); first != again || len(first) != 64 {
		t.Error("it is no hash")
	}
	if h("a", "b") == h("ab") || h("a", "b") == h("a", "", "b") || h("a", "b") == h("ab", "") ||
		h("a") == other("a") {
		t.Error("parts or processes are not told apart")
	}
}

func TestOperatorsKeyReplacesTheClients(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, func(o *Options) { o.Upstream.APIKey = "operator" })
	for _, test := range []struct {
		path    string
		headers []string
		want    map[string][]string
	}{
		{chatPath, nil, map[string][]string{"Authorization": {"Bearer operator"}}},
		{chatPath, []string{"Authorization", "Bearer client"},
			map[string][]string{"Authorization": {"Bearer operator"}}},
		{"/v1/models", []string{"Authorization", "a", "Authorization", "b"},
			map[string][]string{"Authorization": {"Bearer operator"}}},
		{chatPath, []string{"api-key", "client"}, map[string][]string{"Api-Key": {"operator"}}},
		{chatPath, []string{"x-api-key", "client"},
			map[string][]string{"Authorization": {"Bearer operator"}}},
		{"/v1/messages", nil, map[string][]string{"X-Api-Key": {"operator"}}},
		{"/v1/messages", []string{"x-api-key", "client"},
			map[string][]string{"X-Api-Key": {"operator"}}},
		{"/v1/messages", []string{"Authorization", "Bearer client"},
			map[string][]string{"Authorization": {"Bearer operator"}}},
		{"/v1/models", []string{"Anthropic-Version", "2023-06-01"},
			map[string][]string{"X-Api-Key": {"operator"}}},
		{"/openai/deployments/d/chat/completions", nil,
			map[string][]string{"Api-Key": {"operator"}}},
		{"/openai/deployments/d/embeddings", []string{"Authorization", "Bearer client"},
			map[string][]string{"Api-Key": {"operator"}}},
		{"/openai/files?api-version=2024-10-21", []string{"Authorization", "Bearer client"},
			map[string][]string{"Api-Key": {"operator"}}},
		{"/openai/files", []string{"Authorization", "Bearer client"},
			map[string][]string{"Authorization": {"Bearer operator"}}},
		{"/v1beta/files?key=client", nil, map[string][]string{"X-Goog-Api-Key": {"operator"}}},
		{"/v1/models", []string{"X-Goog-Api-Key", "client"},
			map[string][]string{"X-Goog-Api-Key": {"operator"}}},
	} {
		r.do(r.request("POST", test.path, strings.NewReader("{}"), test.headers...))
		got := up.last().Header
		if strings.Contains(up.last().RequestURI, "client") {
			t.Errorf("%s: sent on as %s", test.path, up.last().RequestURI)
		}
		for _, name := range []string{"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key"} {
			if !slices.Equal(got[name], test.want[name]) {
				t.Errorf("%s %v: %s: got %q, want %q", test.path, test.headers, name, got[name],
					test.want[name])
			}
		}
	}
	// Where an inbound key was sent says nothing about the upstream.
	r = newRig(t, up, func(o *Options) {
		o.Upstream.APIKey = "operator"
		o.Keys = []auth.Key{{Name: "team", SHA256: sha256.Sum256([]byte(inboundKey))}}
	})
	for path, want := range map[string]string{chatPath: "Authorization",
		"/v1/messages": "X-Api-Key", "/v1beta/models": "X-Goog-Api-Key"} {
		for _, name := range []string{"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key"} {
			key := inboundKey
			if name == "Authorization" {
				key = "Bearer " + key
			}
			r.do(r.request("POST", path, strings.NewReader("{}"), name, key))
			got := up.last().Header
			if n := len(got["Authorization"]) + len(got["Api-Key"]) + len(got["X-Api-Key"]) +
				len(got["X-Goog-Api-Key"]); n != 1 || got.Get(want) == "" {
				t.Errorf("%s with %s: got %v, want the key in %s", path, name, got, want)
			}
		}
	}
	r = newRig(t, up)
	r.do(r.request("POST", chatPath, strings.NewReader("{}"), "Authorization", "Bearer client",
		"api-key", "client"))
	if got := up.last().Header; got.Get("Authorization") != "Bearer client" ||
		got.Get("Api-Key") != "client" {
		t.Errorf("without an operator's key: got %v", got)
	}
	// Its key is the operator's affair: senders stay apart behind it.
	set := func(o *Options) { o.Upstream.APIKey = "operator" }
	if whoOf(t, set, "", "Authorization", "Bearer a") == whoOf(t, set, "", "Authorization",
		"Bearer b") {
		t.Error("two clients share behind the operator's key")
	}
}

// TestNothingSecretIsLogged: one request of each kind with secrets everywhere.
func TestNothingSecretIsLogged(t *testing.T) {
	up := &recorder{answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "hunter2")
		w.WriteHeader(400)
		_, _ = w.Write([]byte(`{"error":"hunter2"}`))
	}}
	for name, set := range map[string]func(*Options){"compacted": compacting,
		"unchanged": unchanged, "none": func(*Options) {}} {
		r := newRig(t, up, set)
		body := strings.ReplaceAll(threeTurns, `"c`, `"hunter2`)
		for _, path := range []string{chatPath, "/hunter2/chat/completions", "/v1/hunter2",
			"/healthz", "/killick/hunter2"} {
			r.do(r.request("POST", path+"?key=hunter2", strings.NewReader(body), "Authorization",
				"Bearer hunter2",
				"Cookie", "hunter2", "X-Api-Key", "hunter2", "User-Agent", "hunter2"))
		}
		r.do(r.request("HUNTER2", "/x", nil))
		r.logLine(3)
		var metrics strings.Builder
		mf, err := r.proxy.opt.Registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range mf {
			metrics.WriteString(f.String())
		}
		if text := strings.ToLower(r.logs.String() + metrics.String()); strings.Contains(text,
			"hunter2") {
			t.Errorf("%s: the log or the metrics quote a secret:\n%s", name, text)
		}
	}
}
