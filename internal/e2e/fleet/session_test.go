package fleet

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/chat"
	"killick/internal/convert"
	"killick/messages"
	"killick/rawjson"
	"killick/responses"
	"killick/view"
)

// upstream answers every request and keeps what came last.
type upstream struct {
	*httptest.Server
	mu    sync.Mutex
	sent  map[string][]byte // by the name of the request
	takes time.Duration     // until it answers
}

const requestName = "X-Request"

func newUpstream(t testing.TB) *upstream {
	t.Helper()
	u := &upstream{sent: map[string][]byte{}}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		u.mu.Lock()
		u.sent[r.Header.Get(requestName)] = body
		takes := u.takes
		u.mu.Unlock()
		time.Sleep(takes)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[]}`)
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) take(name string) []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	body := u.sent[name]
	delete(u.sent, name)
	return body
}

// spelling is a wire format, and how a chat request is spelled in it.
type spelling struct {
	format  view.Format
	path    string
	convert func(chat []byte) ([]byte, error)
}

var spellings = []spelling{
	{chat.Format, "/v1/chat/completions", func(b []byte) ([]byte, error) { return b, nil }},
	{messages.Format, "/v1/messages", convert.Messages},
	{responses.Format, "/v1/responses", func(b []byte) ([]byte, error) {
		return convert.Responses(b), nil
	}},
}

// session is a conversation of one client, as the requests that it sends.
type session struct {
	spelling
	owner    string
	requests [][]byte
}

// A secret text, a path and a credential that must be found nowhere in the shared store.
const (
	markedText = "zqsecretzq"
	markedPath = "src/zqpathzq"
	markedKey  = "sk-zqkeyzq"
)

// written returns a session of this many turns of a tool, with an instruction now and then.
func written(t testing.TB, s spelling, owner string, turns int) *session {
	t.Helper()
	made := &session{spelling: s, owner: owner}
	b := []byte(`{"model":"gpt-4o","max_tokens":8192,"messages":[{"role":"system","content":` +
		`"You mend programs."},{"role":"user","content":"Find where the limit of ` + owner +
		` is parsed and mend it. Never edit a test."}`)
	for i := range turns {
		var text strings.Builder
		for line := range 6 + i*7%23 {
			fmt.Fprintf(&text, "%d: func limit%d_%d(n int) error { return check(n, %d) } // %s\n",
				line, i, line, i*line, markedText)
		}
		b = fmt.Appendf(b, `,{"role":"assistant","content":"Reading part %d.","tool_calls":[{`+
			`"id":"call_%[1]d","type":"function","function":{"name":"read_file",`+
			`"arguments":"{\"path\":\"%[3]s_%[1]d.go\"}"}}]},`+
			`{"role":"tool","tool_call_id":"call_%[1]d","content":%[2]s}`, i,
			rawjson.AppendQuoted(nil, text.String()), markedPath)
		if i%6 == 5 {
			b = fmt.Appendf(b, `,{"role":"assistant","content":"Part %d is read: the limit is `+
				`%d."},{"role":"user","content":"Good. Keep port %[2]d, go on with part %d."}`, i,
				8000+i, i+1)
		}
		made.add(t, append(bytes.Clone(b), `]}`...))
	}
	return made
}

func (s *session) add(t testing.TB, chat []byte) {
	t.Helper()
	body, err := s.convert(chat)
	if err != nil {
		t.Fatal(err)
	}
	s.requests = append(s.requests, body)
}

// sent is what became of one request.
type sent struct {
	body, forwarded []byte
	action          string
	took            time.Duration // less what the upstream took
}

// run sends the requests of a session to replicas in turn. before is called ahead of each one; it
// may be nil, and may change the list.
func (s *session) run(
	t testing.TB, u *upstream, all []*replica, before func(i int),
) (list []sent) {
	t.Helper()
	for i, body := range s.requests {
		if before != nil {
			before(i)
		}
		list = append(list, s.send(t, u, all[i%len(all)], body))
	}
	return list
}

// sendAll sends some requests of the session to a replica.
func (s *session) sendAll(t testing.TB, u *upstream, r *replica, requests [][]byte) []sent {
	t.Helper()
	part := *s
	part.requests = requests
	return part.run(t, u, []*replica{r}, nil)
}

// send sends one request.
func (s *session) send(t testing.TB, u *upstream, r *replica, body []byte) sent {
	t.Helper()
	name := fmt.Sprintf("%s %p %d", s.owner, s, len(body))
	began := time.Now()
	a := r.Ask(t, http.MethodPost, s.path, body, append(s.header(), requestName, name)...)
	took := time.Since(began) - u.takes
	if a.Status != http.StatusOK {
		t.Fatalf("a request failed: %d %.300s", a.Status, a.Body)
	}
	return sent{body, u.take(name), a.Header.Get("Killick-Action"), took}
}

// header is how the client says who it is.
func (s *session) header() []string {
	return []string{"Authorization", "Bearer " + markedKey + s.owner}
}

// changes returns at how many turns what was forwarded does not begin with what was before.
func (s *session) changes(t testing.TB, list []sent) (n int) {
	t.Helper()
	var last []view.Message
	for _, x := range list {
		r, err := view.Parse(s.format, x.forwarded)
		if err != nil {
			t.Fatalf("%v in %.200s", err, x.forwarded)
		}
		msgs := r.Messages()
		if len(msgs) < len(last) || !slices.EqualFunc(last, msgs[:len(last)],
			func(a, b view.Message) bool { return bytes.Equal(a.Raw, b.Raw) }) {
			n++
		}
		last = msgs
	}
	return n
}

// differing returns which turns were forwarded otherwise.
func differing(a, b []sent) (turns []int) {
	for i := range a {
		if !bytes.Equal(a[i].forwarded, b[i].forwarded) {
			turns = append(turns, i)
		}
	}
	return turns
}

// compacted returns how many of the requests were forwarded as other bytes than came.
func compacted(list []sent) (n int) {
	for _, x := range list {
		if !bytes.Equal(x.body, x.forwarded) {
			n++
		}
	}
	return n
}

// ref is what stands for content that was left out.
var ref = regexp.MustCompile(`ref=([a-z2-7]{16})`)

// refs returns all refs in what was forwarded.
func refs(list []sent) (all []string) {
	seen := map[string]bool{}
	for _, x := range list {
		for _, m := range ref.FindAllSubmatch(x.forwarded, -1) {
			if r := string(m[1]); !seen[r] {
				seen[r] = true
				all = append(all, r)
			}
		}
	}
	return all
}

// slowest returns the share p of what requests took beside the upstream.
func slowest(list []sent, p float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	var all []time.Duration
	for _, x := range list {
		all = append(all, x.took)
	}
	slices.Sort(all)
	return all[min(int(p*float64(len(all))), len(all)-1)]
}
