package e2e

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/internal/testcert"
	"killick/internal/wire"
	"killick/view"
)

// sessionTurns returns the requests of an agent's session of this many turns. private is in the
// system prompt, which is not what a conversation is known by: two sessions that differ in it alone
// are the same conversation.
func sessionTurns(private string, turns int) (bodies [][]byte) {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"gpt-4o","messages":[{"role":"system","content":"You work for %s."},`+
		`{"role":"user","content":"Find where the limit is parsed. Never edit a file."}`, private)
	for turn := range turns {
		fmt.Fprintf(&b,
			`,{"role":"assistant","content":"Reading file `+
				`%d.","tool_calls":[{"id":"call_%[1]d","type":"function",`+
				`"function":{"name":"read_file",`+
				`"arguments":"{\"path\":\"src/limit_%02[1]d.go\"}"}}]},`+
				`{"role":"tool","tool_call_id":"call_%[1]d","content":%q}`, turn,
			agentFile(fmt.Sprint(turn)))
		bodies = append(bodies, []byte(b.String()+`]}`))
	}
	return bodies
}

// sessionBody returns the last request of such a session.
func sessionBody(private string, turns int) []byte {
	return sessionTurns(private, turns)[turns-1]
}

var anyRef = regexp.MustCompile(`ref=([a-z2-7]{16})`)

// session is what became of the session of one credential.
type session struct {
	actions []string
	bodies  [][]byte // as the upstream got them
	refs    []string // in them, sorted, each once
}

func runSession(t *testing.T, w *watched, up *fakeupstream.Server, key,
	private string) (got session) {
	for _, body := range sessionTurns(private, 14) {
		f := ask(t, w.Public+chatPath, body, "Authorization", "Bearer "+key)
		if f.status != http.StatusOK {
			t.Errorf("status %d: %s", f.status, f.reply)
		}
		got.actions = append(got.actions, f.header.Get("Killick-Action"))
	}
	for _, r := range up.Requests() {
		if r.Header.Get("Authorization") != "Bearer "+key {
			continue
		}
		got.bodies = append(got.bodies, r.Body)
		for _, m := range anyRef.FindAllSubmatch(r.Body, -1) {
			got.refs = append(got.refs, string(m[1]))
		}
	}
	slices.Sort(got.refs)
	got.refs = slices.Compact(got.refs)
	return got
}

func TestCredentialsShareNothing(t *testing.T) {
	noLeaks(t)
	up := fakeupstream.New(fakeupstream.Config{Record: true})
	defer up.Close()
	w := newWatched(t, up.URL(), nil)
	clients := []struct{ key, private string }{
		{"sk-first", "Aalborg Anchors"}, {"sk-second", "Bergen Buoys"},
		{"sk-third", "Cadiz Cables"},
	}
	got := make([]session, len(clients))
	got[0] = runSession(t, w, up, clients[0].key, clients[0].private)
	made := w.metric(t, "killick_cache_puts_total")
	var both sync.WaitGroup
	for i := 1; i < len(clients); i++ {
		both.Go(func() { got[i] = runSession(t, w, up, clients[i].key, clients[i].private) })
	}
	both.Wait()

	outputs := map[string]bool{} // the outputs, the same in every session
	for _, m := range mustParse(t, sessionBody("anybody", 14)).Messages() {
		if m.Role() == view.Tool {
			outputs[m.Text()] = true
		}
	}
	if all := strings.Join(got[0].actions, ", "); !strings.Contains(all, "mask") &&
		!strings.Contains(all, "summary") || !strings.Contains(all, "reuse") {
		t.Fatalf("the first client's session was not compacted: %s", all)
	}
	for i, g := range got {
		if !slices.Equal(g.actions, got[0].actions) {
			t.Errorf("client %d was served otherwise than the first, who had nobody before "+
				"it:\n%q\n%q", i, g.actions, got[0].actions)
		}
		forwards := bytes.Join(g.bodies, nil)
		for j, other := range clients {
			if i == j {
				continue
			}
			if bytes.Contains(forwards, []byte(other.private)) ||
				bytes.Contains(forwards, []byte(other.key)) {
				t.Errorf("what is client %d's was forwarded for client %d", j, i)
			}
			for _, ref := range g.refs {
				if slices.Contains(got[j].refs, ref) {
					t.Errorf("clients %d and %d have the ref %s in common", i, j, ref)
				}
			}
		}
	}
	for i, g := range got {
		if len(g.refs) == 0 {
			t.Fatalf("client %d was given no ref", i)
		}
		for _, ref := range g.refs {
			for j, client := range clients {
				status, content := send(t, http.MethodGet, w.Public+"/killick/outputs/"+ref, nil,
					"Authorization", "Bearer "+client.key)
				switch own := status == http.StatusOK &&
					(outputs[content] || strings.HasPrefix(content, "ref=")); {
				case i == j && !own:
					t.Errorf("client %d is refused its own ref %s: %d %.80q", i, ref,
						status, content)
				case i != j && status != http.StatusNotFound:
					t.Errorf("client %d asked for client %d's ref %s: %d %.80q, want 404", j, i,
						ref, status, content)
				}
			}
		}
	}
	// Each wrote entries of its own, and met nobody else's.
	var first, all int
	if _, err := fmt.Sscan(made, &first); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(w.metric(t, "killick_cache_puts_total"), &all); err != nil {
		t.Fatal(err)
	}
	if first == 0 || all != first*len(clients) {
		t.Errorf("the first client wrote %d checkpoints, all of them %d, want %d times as many",
			first, all, len(clients))
	}
	if n := w.metric(t, "killick_cache_conflicts_total"); n != "0" {
		t.Errorf("%s checkpoints were there before they were written", n)
	}
	// The same client under another system prompt is known, and takes nothing of
	// the first prompt along.
	again := sessionTurns("Dover Docks", 14)
	f := ask(t, w.Public+chatPath, again[len(again)-1], "Authorization", "Bearer "+clients[0].key)
	seen := up.Requests()
	if body := seen[len(seen)-1].Body; !f.did("reuse") ||
		bytes.Contains(body, []byte(clients[0].private)) ||
		!bytes.Contains(body, []byte("Dover Docks")) {
		t.Errorf("another system prompt: action %q", f.header.Get("Killick-Action"))
	}
}

// awsSigned is a credential that AWS Signature Version 4 makes.
func awsSigned(key, signature string) string {
	return "AWS4-HMAC-SHA256 Credential=" + key + "/20260101/us-east-1/bedrock/aws4_request, " +
		"SignedHeaders=host;x-amz-date, Signature=" + signature
}

// Two clients with certificates of one authority and one name share nothing, and each finds what
// is its own.
func TestCertificatesTellClientsApart(t *testing.T) {
	noLeaks(t)
	own, authority := testcert.New(t, "own"), testcert.New(t, "authority")
	up := fakeupstream.New(fakeupstream.Config{Record: true})
	defer up.Close()
	c := config.Default()
	c.Upstream.BaseURL, c.Cache.InMemory = up.URL(), true
	between(3000, 1500)(&c)
	a, err := wire.Build(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l, err := wire.Secure("tls", config.TLS{CertFile: own.Cert, KeyFile: own.Key,
		ClientCAFile: authority.Cert}, plain, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: a.Proxy.Handler()}
	go func() { _ = server.Serve(l) }() // ends when the server is closed
	defer a.Proxy.Close()
	defer server.Close()
	url, body := "https://"+plain.Addr().String(), sessionBody("one and all", 8)
	client := func() func(method, path string) (reused bool, status int) {
		pair := authority.Issue(t, "one name")
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true,
			Certificates: []tls.Certificate{pair}}}
		t.Cleanup(transport.CloseIdleConnections)
		return func(method, path string) (bool, int) {
			req, err := http.NewRequestWithContext(t.Context(), method, url+path,
				bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer shared")
			res, err := (&http.Client{Transport: transport}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			return strings.Contains(res.Header.Get("Killick-Action"), "reuse"), res.StatusCode
		}
	}
	ann, bob := client(), client()
	for i, step := range []struct {
		of     func(method, path string) (bool, int)
		reuses bool
	}{{ann, false}, {bob, false}, {ann, true}, {bob, true}} {
		if reused, status := step.of(http.MethodPost, chatPath); reused != step.reuses ||
			status != http.StatusOK {
			t.Errorf("request %d: status %d, reused: %t, want %t", i, status, reused, step.reuses)
		}
	}
	refs := anyRef.FindSubmatch(up.Requests()[0].Body)
	if refs == nil {
		t.Fatal("nothing was masked")
	}
	path := "/killick/outputs/" + string(refs[1])
	if _, status := ann(http.MethodGet, path); status != http.StatusOK {
		t.Errorf("a client's own ref: status %d", status)
	}
	if _, status := bob(http.MethodGet, path); status != http.StatusNotFound {
		t.Errorf("the ref of another certificate: status %d, want 404", status)
	}
}

// What tells clients apart, and what does not.
func TestWhoSharesWithWhom(t *testing.T) {
	noLeaks(t)
	const bearer = "Authorization"
	tenant := func(c *config.Config) { c.Isolation.Header = "X-Tenant" }
	for _, c := range []struct {
		name          string
		set           func(*config.Config)
		first, second []string
		query         string // of the second
		shared        bool
	}{
		{name: "the same key", first: []string{bearer, "Bearer a"},
			second: []string{bearer, "Bearer a"}, shared: true},
		{name: "other headers", first: []string{bearer, "Bearer a"},
			second: []string{bearer, "Bearer a", "User-Agent", "x", "X-Request-Id", "1"},
			shared: true},
		{name: "nobody twice", shared: true},
		{name: "another key", first: []string{bearer, "Bearer a"},
			second: []string{bearer, "Bearer b"}},
		{name: "a key and none", first: []string{bearer, "Bearer a"}},
		{name: "none and a key", second: []string{bearer, "Bearer a"}},
		{name: "the key in another header", first: []string{bearer, "Bearer a"},
			second: []string{"Api-Key", "Bearer a"}},
		{name: "another api-key", first: []string{"Api-Key", "a"},
			second: []string{"Api-Key", "b"}},
		{name: "another key in the query", query: "?api-key=b"},
		{name: "another organisation",
			first:  []string{bearer, "Bearer a", "OpenAI-Organization", "org-1"},
			second: []string{bearer, "Bearer a", "OpenAI-Organization", "org-2"}},
		{name: "another project", first: []string{bearer, "Bearer a"},
			second: []string{bearer, "Bearer a", "OpenAI-Project", "proj-2"}},
		{name: "two keys for one", first: []string{bearer, "Bearer a"},
			second: []string{bearer, "Bearer a", bearer, "Bearer b"}},
		{name: "another cookie", first: []string{"Cookie", "sid=a"},
			second: []string{"Cookie", "sid=b"}},
		{name: "another cookie of a load balancer", first: []string{"Cookie", "sid=a; AWSALB=1"},
			second: []string{"Cookie", "AWSALB=2; sid=a"}, shared: true},
		{name: "another key for the proxy", first: []string{"Proxy-Authorization", "Basic a"},
			second: []string{"Proxy-Authorization", "Basic b"}},
		{name: "another key for a gateway in front of one upstream key",
			first:  []string{bearer, "Bearer a", "cf-aig-authorization", "Bearer 1"},
			second: []string{bearer, "Bearer a", "cf-aig-authorization", "Bearer 2"}},
		{name: "another user of one key",
			first:  []string{bearer, "Bearer a", "X-OpenWebUI-User-Id", "1"},
			second: []string{bearer, "Bearer a", "X-OpenWebUI-User-Id", "2"}},
		{name: "a parameter that nobody knows", query: "?tenant=b"},
		{name: "the version of the API", query: "?api-version=2024-10-21", shared: true},
		{name: "one signer, another signature",
			first: []string{bearer, awsSigned("AKID1", "aa")}, second: []string{bearer,
				awsSigned("AKID1", "bb")}, shared: true},
		{name: "another signer", first: []string{bearer, awsSigned("AKID1", "aa")},
			second: []string{bearer, awsSigned("AKID2", "aa")}},
		{name: "one tenant, its token rotated", set: tenant,
			first:  []string{bearer, "Bearer a", "X-Tenant", "1"},
			second: []string{bearer, "Bearer b", "X-Tenant", "1"}, shared: true},
		{name: "two tenants behind one token", set: tenant,
			first:  []string{bearer, "Bearer a", "X-Tenant", "1"},
			second: []string{bearer, "Bearer a", "X-Tenant", "2"}},
		{name: "no tenant, two keys", set: tenant, first: []string{bearer, "Bearer a"},
			second: []string{bearer, "Bearer b"}},
		{name: "a tenant called like a key", set: tenant, first: []string{bearer, "Bearer a"},
			second: []string{"X-Tenant", "Bearer a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, fakeupstream.Config{}, func(config *config.Config) {
				between(3000, 1500)(config)
				if c.set != nil {
					c.set(config)
				}
			})
			bodies := sessionTurns("one and all", 8)
			body := bodies[len(bodies)-1]
			first := ask(t, g.url+chatPath, body, c.first...)
			second := ask(t, g.url+chatPath+c.query, body, c.second...)
			if action := first.header.Get("Killick-Action"); first.did("reuse") ||
				action == "none" {
				t.Fatalf("the first request: action %q", action)
			}
			if second.did("reuse") != c.shared {
				t.Errorf("the second request: action %q, want reuse: %t",
					second.header.Get("Killick-Action"), c.shared)
			}
			if seen := g.upstream.Requests(); c.shared && !bytes.Equal(seen[0].Body, seen[1].Body) {
				t.Error("other bytes were forwarded")
			}
		})
	}
}
