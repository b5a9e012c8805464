package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/chat"
	"killick/internal/upstreamtest"
)

// watched is the proxy as serve runs it, on listeners of its own, with a store
// on disk and a log that keeps everything.
type watched struct {
	public, admin string // base URLs
	log           logBuffer
	folder        string // of the store and its secret
	stop          func() // ends it and closes the store; may be called twice
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newWatched(t *testing.T, upstream string, set func(*Config)) *watched {
	t.Helper()
	w := &watched{folder: t.TempDir()}
	c := Default()
	c.Upstream.BaseURL = upstream
	c.Cache.Dir = filepath.Join(w.folder, "store")
	c.Compaction.Trigger, c.Compaction.Target = 3000, 1500
	if set != nil {
		set(&c)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a, err := build(c, slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	var listeners [2]net.Listener
	for i := range listeners {
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			cancel()
			t.Fatal(err)
		}
	}
	w.public, w.admin = "http://"+addressOf(listeners[0]), "http://"+addressOf(listeners[1])
	served := make(chan error, 1)
	go func() { served <- a.proxy.Serve(ctx, listeners[0], listeners[1]) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.stop)
	return w
}

// metric returns the value of a metric without labels.
func (w *watched) metric(t *testing.T, name string) string {
	t.Helper()
	return valueOf(t, get(t, w.admin+"/metrics"), name)
}

// toldTurns returns the requests of an agent's session of so many turns. private
// stands in the system prompt, which is not what a conversation is known by: two
// sessions that differ in it alone are the same conversation.
func toldTurns(private string, turns int) (bodies [][]byte) {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"gpt-4o","messages":[{"role":"system","content":"You work for %s."},`+
		`{"role":"user","content":"Find where the limit is parsed. Never edit a file."}`, private)
	for turn := range turns {
		fmt.Fprintf(&b, `,{"role":"assistant","content":"Reading file %d.","tool_calls":[{"id":"call_%[1]d","type":"function",`+
			`"function":{"name":"read_file","arguments":"{\"path\":\"src/limit_%02[1]d.go\"}"}}]},`+
			`{"role":"tool","tool_call_id":"call_%[1]d","content":%q}`, turn, agentFile(fmt.Sprint(turn)))
		bodies = append(bodies, []byte(b.String()+`]}`))
	}
	return bodies
}

var anyRef = regexp.MustCompile(`ref=([a-z2-7]{16})`)

// told is what became of the session of one credential.
type told struct {
	actions []string
	bodies  [][]byte // as the upstream got them
	refs    []string // in them, sorted, each once
}

func tell(t *testing.T, w *watched, up *upstreamtest.Server, key, private string) (got told) {
	for _, body := range toldTurns(private, 14) {
		f := ask(t, w.public+chatPath, body, "Authorization", "Bearer "+key)
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
	up := upstreamtest.New(upstreamtest.Config{Record: true})
	defer up.Close()
	w := newWatched(t, up.URL(), nil)
	clients := []struct{ key, private string }{
		{"sk-first", "Aalborg Anchors"}, {"sk-second", "Bergen Buoys"}, {"sk-third", "Cadiz Cables"},
	}
	got := make([]told, len(clients))
	got[0] = tell(t, w, up, clients[0].key, clients[0].private)
	made := w.metric(t, "killick_cache_puts_total")
	var both sync.WaitGroup
	for i := 1; i < len(clients); i++ {
		both.Go(func() { got[i] = tell(t, w, up, clients[i].key, clients[i].private) })
	}
	both.Wait()

	told := map[string]bool{} // the outputs, the same in every session
	for _, m := range mustParse(t, toldTurns("anybody", 14)[13]).Messages() {
		if m.Role() == chat.Tool {
			told[m.Text()] = true
		}
	}
	if all := strings.Join(got[0].actions, ", "); !strings.Contains(all, "mask") && !strings.Contains(all, "summary") || !strings.Contains(all, "reuse") {
		t.Fatalf("the first client's session was not compacted: %s", all)
	}
	for i, g := range got {
		if !slices.Equal(g.actions, got[0].actions) {
			t.Errorf("client %d was served otherwise than the first, who had nobody before it:\n%q\n%q", i, g.actions, got[0].actions)
		}
		forwards := bytes.Join(g.bodies, nil)
		for j, other := range clients {
			if i == j {
				continue
			}
			if bytes.Contains(forwards, []byte(other.private)) || bytes.Contains(forwards, []byte(other.key)) {
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
				status, content := send(t, http.MethodGet, w.public+"/killick/outputs/"+ref, nil, "Authorization", "Bearer "+client.key)
				switch own := status == http.StatusOK && (told[content] || strings.HasPrefix(content, "ref=")); {
				case i == j && !own:
					t.Errorf("client %d is refused its own ref %s: %d %.80q", i, ref, status, content)
				case i != j && status != http.StatusNotFound:
					t.Errorf("client %d asked for client %d's ref %s: %d %.80q, want 404", j, i, ref, status, content)
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
		t.Errorf("the first client wrote %d checkpoints, all of them %d, want %d times as many", first, all, len(clients))
	}
	if n := w.metric(t, "killick_cache_conflicts_total"); n != "0" {
		t.Errorf("%s checkpoints were there before they were written", n)
	}
	// The same client under another system prompt is known, and takes nothing of
	// the first prompt along.
	again := toldTurns("Dover Docks", 14)
	f := ask(t, w.public+chatPath, again[len(again)-1], "Authorization", "Bearer "+clients[0].key)
	seen := up.Requests()
	if body := seen[len(seen)-1].Body; !f.did("reuse") || bytes.Contains(body, []byte(clients[0].private)) || !bytes.Contains(body, []byte("Dover Docks")) {
		t.Errorf("another system prompt: action %q", f.header.Get("Killick-Action"))
	}
}

// What tells clients apart, and what does not.
func TestWhoSharesWithWhom(t *testing.T) {
	noLeaks(t)
	const bearer = "Authorization"
	tenant := func(c *Config) { c.Isolation.Header = "X-Tenant" }
	for _, c := range []struct {
		name          string
		set           func(*Config)
		first, second []string
		query         string // of the second
		shared        bool
	}{
		{name: "the same key", first: []string{bearer, "Bearer a"}, second: []string{bearer, "Bearer a"}, shared: true},
		{name: "other headers", first: []string{bearer, "Bearer a"}, second: []string{bearer, "Bearer a", "User-Agent", "x", "X-Request-Id", "1"}, shared: true},
		{name: "nobody twice", shared: true},
		{name: "another key", first: []string{bearer, "Bearer a"}, second: []string{bearer, "Bearer b"}},
		{name: "a key and none", first: []string{bearer, "Bearer a"}},
		{name: "none and a key", second: []string{bearer, "Bearer a"}},
		{name: "the key in another header", first: []string{bearer, "Bearer a"}, second: []string{"Api-Key", "Bearer a"}},
		{name: "another api-key", first: []string{"Api-Key", "a"}, second: []string{"Api-Key", "b"}},
		{name: "another key in the query", query: "?api-key=b"},
		{name: "another organisation", first: []string{bearer, "Bearer a", "OpenAI-Organization", "org-1"}, second: []string{bearer, "Bearer a", "OpenAI-Organization", "org-2"}},
		{name: "another project", first: []string{bearer, "Bearer a"}, second: []string{bearer, "Bearer a", "OpenAI-Project", "proj-2"}},
		{name: "two keys for one", first: []string{bearer, "Bearer a"}, second: []string{bearer, "Bearer a", bearer, "Bearer b"}},
		{name: "one tenant, its token rotated", set: tenant, first: []string{bearer, "Bearer a", "X-Tenant", "1"}, second: []string{bearer, "Bearer b", "X-Tenant", "1"}, shared: true},
		{name: "two tenants behind one token", set: tenant, first: []string{bearer, "Bearer a", "X-Tenant", "1"}, second: []string{bearer, "Bearer a", "X-Tenant", "2"}},
		{name: "no tenant, two keys", set: tenant, first: []string{bearer, "Bearer a"}, second: []string{bearer, "Bearer b"}},
		{name: "a tenant called like a key", set: tenant, first: []string{bearer, "Bearer a"}, second: []string{"X-Tenant", "Bearer a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, upstreamtest.Config{}, func(config *Config) {
				between(3000, 1500)(config)
				if c.set != nil {
					c.set(config)
				}
			})
			bodies := toldTurns("one and all", 8)
			body := bodies[len(bodies)-1]
			first := ask(t, g.url+chatPath, body, c.first...)
			second := ask(t, g.url+chatPath+c.query, body, c.second...)
			if action := first.header.Get("Killick-Action"); first.did("reuse") || action == "none" {
				t.Fatalf("the first request: action %q", action)
			}
			if second.did("reuse") != c.shared {
				t.Errorf("the second request: action %q, want reuse: %t", second.header.Get("Killick-Action"), c.shared)
			}
			if seen := g.upstream.Requests(); c.shared && !bytes.Equal(seen[0].Body, seen[1].Body) {
				t.Error("other bytes were forwarded")
			}
		})
	}
}

// leaky is an upstream that answers with what it was sent, and not in HTTP.
func leaky(t *testing.T) (baseURL string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); conns.Wait() })
	conns.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer conn.Close()
				request := make([]byte, 4096)
				n, _ := conn.Read(request)
				_, _ = conn.Write(bytes.ReplaceAll(request[:n], []byte("\r\n"), []byte(" ")))
				_, _ = conn.Write([]byte("\r\n\r\n"))
			})
		}
	})
	return "http://" + l.Addr().String() + "/v1"
}

// traces are the forms in which a credential must not turn up: itself and its
// ends, encoded, and hashed without a key.
func traces(key string) (all [][]byte) {
	digest := sha256.Sum256([]byte(key))
	for _, s := range []string{
		key, key[:14], key[len(key)-10:], base64.StdEncoding.EncodeToString([]byte(key)), hex.EncodeToString([]byte(key)),
		string(digest[:]), hex.EncodeToString(digest[:]), base64.StdEncoding.EncodeToString(digest[:]),
	} {
		all = append(all, []byte(s))
	}
	return all
}

// Credentials pass through and leave no trace: not in the log at its loudest,
// not in the metrics, not on disk, not in an error.
func TestCredentialsLeaveNoTrace(t *testing.T) {
	noLeaks(t)
	const (
		bearer   = "sk-proj-Zq8vN2mTr4xW7yB1cD5eF9gH"
		apiKey   = "b64f0c1d9e8a47f2a1c3d5e7f9081726"
		query    = "AIzaSyQ-3kL9mN2pR5sT8vW1xY4zB7cD"
		operator = "sk-svc-Jk2Lm4Np6Qr8St1Uv3Wx5Yz7"
	)
	up := upstreamtest.New(upstreamtest.Config{Keys: []string{bearer, operator}, Fault: func(_ int, r *http.Request) upstreamtest.Fault {
		return upstreamtest.Fault{Drop: r.Header.Get(faultHeader) == "drop", Hang: map[string]time.Duration{"hang": time.Hour}[r.Header.Get(faultHeader)]}
	}})
	defer up.Close()
	gone := upstreamtest.New(upstreamtest.Config{})
	gone.Close()
	sound := newWatched(t, up.URL(), func(c *Config) { c.Limits.MaxBody, c.Timeouts.FirstByte = 1<<20, 300*time.Millisecond })
	all := []*watched{
		sound,
		newWatched(t, up.URL(), func(c *Config) { c.Upstream.APIKey = operator }),
		newWatched(t, gone.URL(), nil),
		newWatched(t, leaky(t), nil),
	}
	var replies bytes.Buffer
	tries, failures := 0, 0
	try := func(w *watched, path string, body []byte, header ...string) {
		f := ask(t, w.public+path, body, append(header, "Authorization", "Bearer "+bearer, "Api-Key", apiKey)...)
		tries++
		if f.status >= 400 {
			failures++
		}
		_ = f.header.Write(&replies)
		replies.Write(f.reply)
	}
	const keyed = chatPath + "?api-key=" + query
	session := toldTurns("anybody", 8)
	for _, w := range all {
		for _, body := range session {
			try(w, keyed, body)
		}
		try(w, "/v1/models/absent?key="+query, nil)
		try(w, keyed, []byte(`{"model":"gpt-4o","messages":[`+strings.Repeat("[", 50_000)))
	}
	try(sound, keyed, make([]byte, 2<<20))                               // too large
	try(sound, keyed, session[0], faultHeader, "drop")                   // no reply
	try(sound, keyed, session[0], faultHeader, "hang")                   // no reply in time
	try(sound, keyed, session[7], "Content-Encoding", "gzip")            // it is not
	try(sound, keyed, session[7], "Content-Encoding", bearer)            // nor is this
	try(sound, keyed, []byte(`{"messages":[]}`), "Killick-Mode", bearer) // no mode
	try(sound, "/killick/"+query, nil)                                   // not there
	for _, request := range []string{                                    // what the server itself refuses
		"GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + bearer + "\x01\r\n\r\n",
		"GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization Bearer " + bearer + "\r\n\r\n",
		"POST " + keyed + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + bearer + "\r\nTransfer-Encoding: " + apiKey + "\r\n\r\n",
		"POST " + keyed + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + bearer + "\r\nTransfer-Encoding: chunked\r\n\r\n" + bearer + "\r\n",
		"GET /v1/models?key=" + query + " HTTP/" + bearer + "\r\n\r\n",
	} {
		replies.WriteString(rawly(t, sound.public, request))
	}
	if failures < tries/4 || failures == tries {
		t.Fatalf("%d of %d requests failed, want many of both", failures, tries)
	}

	places := map[string][]byte{"an error or a header of a reply": replies.Bytes()}
	for i, w := range all {
		places[fmt.Sprintf("the metrics of proxy %d", i)] = []byte(get(t, w.admin+"/metrics"))
		w.stop()
		places[fmt.Sprintf("the log of proxy %d", i)] = []byte(w.log.String())
		err := filepath.WalkDir(w.folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			places[path], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := len(places); n < 4*4 || !strings.Contains(all[0].log.String(), `"who":"`) {
		t.Fatalf("only %d places to search", n)
	}
	for place, content := range places {
		for name, key := range map[string]string{"bearer token": bearer, "api-key": apiKey, "query": query, "operator's key": operator} {
			for form, trace := range traces(key) {
				if at := bytes.Index(content, trace); at >= 0 {
					t.Errorf("%s holds the %s (form %d): %.200q", place, name, form, content[max(0, at-100):])
				}
			}
		}
	}
}

// rawly sends bytes to a server and returns what it answers until it hangs up.
func rawly(t *testing.T, url, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}
