package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"killick/chat"
	"killick/compaction"
	"killick/internal/config"
	"killick/proxy"
	"killick/proxy/auth"
	"killick/proxy/stored"
	"killick/view"
)

// sender makes a request with headers, given as alternating names and values.
func sender(headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func withQuery(raw string) *http.Request {
	r := sender("Authorization", "Bearer shared")
	r.URL.RawQuery = raw
	return r
}

func withCertificate(key string) *http.Request {
	r := sender("Authorization", "Bearer shared")
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{
		{RawSubjectPublicKeyInfo: []byte(key)},
	}}
	return r
}

// identities are pairs of clients that differ in one thing only.
func identities() map[string][2]*http.Request {
	signed := "AWS4-HMAC-SHA256 Credential=%s/20260101/us-east-1/bedrock/aws4_request, Signature=a"
	pairs := map[string][2]*http.Request{
		"signature": {sender("Authorization", fmt.Sprintf(signed, "AKID1")),
			sender("Authorization", fmt.Sprintf(signed, "AKID2"))},
		"cookie":      {sender("Cookie", "sid=a; __cf_bm=1"), sender("Cookie", "sid=b; __cf_bm=1")},
		"query":       {withQuery("api-version=1&tenant=a"), withQuery("api-version=1&tenant=b")},
		"certificate": {withCertificate("a"), withCertificate("b")},
		"none":        {sender(), sender("Authorization", "Bearer c")},
	}
	for _, name := range []string{
		"Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key",
		"Ocp-Apim-Subscription-Key", "Cf-Aig-Authorization", "Cf-Access-Client-Id",
		"X-Portkey-Api-Key", "X-Portkey-Virtual-Key", "Helicone-Auth", "X-Litellm-Api-Key",
		"X-Amz-Security-Token", "X-Goog-User-Project", "Openai-Organization", "Openai-Project",
		"X-Forwarded-User", "X-Forwarded-Client-Cert",
	} {
		pairs[name] = [2]*http.Request{sender(name, "Bearer a"), sender(name, "Bearer b")}
	}
	return pairs
}

// listed are the turns of a session of small outputs. An idle conversation would be compacted at
// half of the way from target to trigger.
func listed(turns int) (bodies [][]byte) {
	b := `{"model":"some-model","messages":[{"role":"system","content":"You are an agent."},` +
		`{"role":"user","content":"Mend the shop. Never touch the migrations."}`
	for i := range turns {
		b += fmt.Sprintf(`,{"role":"assistant","content":"Part %d.","tool_calls":[{"id":"c%d",`+
			`"type":"function","function":{"name":"read","arguments":"{\"path\":\"p%d.go\"}"}}]},`+
			`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, i, i, i,
			strings.Repeat(fmt.Sprintf("func part%d(w http.ResponseWriter) error\n", i), 60))
		bodies = append(bodies, []byte(b+`]}`))
	}
	return bodies
}

// neighbours are clients of one process, whose clock the test sets.
type neighbours struct {
	*Local
	identity *auth.Identity
	parser   view.Parser
	now      time.Time
}

// atFirst is the time at which the test begins.
var atFirst = time.UnixMilli(1_700_000_000_000)

// compactingEarly is a configuration for the turns in listed.
func compactingEarly() config.Config {
	c := config.Default()
	c.Compaction.Trigger, c.Compaction.Target = 6000, 3000
	c.Compaction.IdleAfter = config.Idle(10 * time.Minute)
	return c
}

func newNeighbours(t *testing.T) *neighbours {
	t.Helper()
	n := &neighbours{now: atFirst}
	var err error
	n.Local, err = OpenLocal(compactingEarly(), nil, func() time.Time { return n.now }, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	n.identity = auth.NewIdentity(auth.ByCredential, nil, n.secret.Who)
	return n
}

var refInBody = regexp.MustCompile(`ref=[a-z2-7]{16}`)

// session sends the turns of one client. It returns everything that the client can see or time, and
// the refs that it got.
func (n *neighbours) session(t *testing.T, who string) (seen, refs []string) {
	t.Helper()
	found, made := n.counter.Lookups()
	stats := n.store.Stats()
	turns := listed(14)
	// The first one would be compacted if the conversation had been idle.
	for _, body := range append([][]byte{turns[7]}, turns...) {
		n.now = n.now.Add(10 * time.Second)
		line, out := n.turn(t, who, body)
		seen, refs = append(seen, line), append(refs, refsIn(out.Body)...)
	}
	foundNow, madeNow := n.counter.Lookups()
	statsNow := n.store.Stats()
	return append(seen, fmt.Sprint("counts ", foundNow-found, madeNow-made, "; checkpoints ",
		statsNow.Puts-stats.Puts, statsNow.Conflicts-stats.Conflicts, statsNow.Hits-stats.Hits,
		"; originals ", statsNow.OriginalPuts-stats.OriginalPuts)), refs
}

// turn sends one request, and returns what the client can see or time.
func (n *neighbours) turn(
	t *testing.T, who string, body []byte,
) (seen string, out compaction.Outcome) {
	t.Helper()
	fits := n.Fits(body, "", who, "")
	out = n.compact(t, who, body, nil)
	text := refInBody.ReplaceAll(out.Body, []byte("ref=?"))
	if out.Learn != nil {
		out.Learn(chat.Usage{PromptTokens: out.Sent * 13 / 10})
	}
	// Not the number of tokens sent: it varies with the refs.
	return fmt.Sprint(fits, out.Reason, out.Raw, out.Reused, len(out.Made), len(text)), out
}

// refsIn returns the refs in a body.
func refsIn(body []byte) (refs []string) {
	for _, ref := range refInBody.FindAllString(string(body), -1) {
		refs = append(refs, strings.TrimPrefix(ref, "ref="))
	}
	return refs
}

func (n *neighbours) compact(
	t *testing.T, who string, body []byte, o *compaction.Overflow,
) compaction.Outcome {
	t.Helper()
	req, err := n.parser.Parse(chat.Format, who, body)
	if err != nil {
		t.Fatal(err)
	}
	return n.Compact(t.Context(), proxy.Request{Chat: req, Who: who, Overflow: o})
}

// refused has an upstream refuse a client's request with an error that states the window.
func (n *neighbours) refused(t *testing.T, who string) {
	t.Helper()
	o := compaction.Overflow{Window: 2500, Prompt: 9000, Sent: 5000, Try: 1}
	n.compact(t, who, listed(10)[9], &o)
}

// rest lets time pass until the provider's cache of every conversation has expired.
func (n *neighbours) rest() { n.now = n.now.Add(time.Hour) }

// clients are the clients of one process or of several.
type clients interface {
	session(t *testing.T, who string) (seen, refs []string)
	refused(t *testing.T, who string)
	rest()
	strangers(t *testing.T, name, owner string, refs []string, other string)
}

// wantStrangers checks that the second client is served as is expected of one that is alone,
// although the first was there before, and that neither can read the other's refs. It returns the
// first one's.
func wantStrangers(
	t *testing.T, n clients, name, first, second string, want []string,
) (refs []string) {
	t.Helper()
	before, refs := n.session(t, first)
	n.refused(t, first)
	n.rest()
	after, others := n.session(t, second)
	if !slices.Equal(after, want) {
		t.Errorf("%s: the second client sees of the first\n%q\nalone\n%q", name, after, want)
	}
	if len(refs) == 0 || len(others) == 0 {
		t.Fatalf("%s: no refs: %q", name, before)
	}
	n.strangers(t, name, first, refs, second)
	n.strangers(t, name, second, others, first)
	return refs
}

// However two clients are distinguished, the second is served as if the first did not exist: its
// requests are decided, counted, stored and inspected in the same way, and neither can read the
// other's refs.
func TestClientsOfEveryKindShareNothing(t *testing.T) {
	alone := newNeighbours(t)
	want, _ := alone.session(t, alone.identity.Of(sender("Authorization", "Bearer b")))
	if !slices.ContainsFunc(want, func(s string) bool { return strings.HasPrefix(s, "false") }) {
		t.Fatalf("every request fits: %q", want)
	}
	n := newNeighbours(t)
	for name, pair := range identities() {
		wantStrangers(t, n, name, n.identity.Of(pair[0]), n.identity.Of(pair[1]), want)
	}
}

// strangers checks that refs can only be read by their owner.
func (n *neighbours) strangers(t *testing.T, name, owner string, refs []string, other string) {
	t.Helper()
	for _, ref := range refs {
		if _, err := n.Originals().Original(t.Context(), owner, ref); err != nil {
			t.Errorf("%s: a client is refused its own ref: %v", name, err)
		}
		_, err := n.Originals().Original(t.Context(), other, ref)
		if !errors.Is(err, stored.ErrNoOriginal) {
			t.Errorf("%s: another client's ref: got %v, want %v", name, err, stored.ErrNoOriginal)
		}
	}
}

// The same client finds the traces of its own requests wherever the test above looks for them.
// After its data is deleted, nothing learned or stored is left.
func TestOneClientSharesWithItself(t *testing.T) {
	n := newNeighbours(t)
	who := n.identity.Of(sender("Authorization", "Bearer b"))
	want, _ := n.session(t, who)
	n.refused(t, who)
	n.rest()
	again, _ := n.session(t, who)
	same := 0
	for i := range want {
		if again[i] == want[i] {
			same++
		}
	}
	if same > len(want)/3 {
		t.Errorf("%d of %d turns look as if nothing were known: %q", same, len(want), again)
	}
	if _, err := n.EraseOwner(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	n.parser.Forget("")
	n.rest()
	last, _ := n.session(t, who)
	// Counts are remembered by a hash of the text, which does not identify the client.
	if got := last[:len(last)-1]; !slices.Equal(got, want[:len(want)-1]) {
		t.Errorf("after its data was deleted the client is served\n%q, at first\n%q", got, want)
	}
}
