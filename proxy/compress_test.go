package proxy

import (
	"context"
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"killick/compaction"
	"killick/proxy/auth"
)

// gatewayBody is what a gateway sends, in a spelling that only a copy keeps.
const gatewayBody = `{ "model" : "gpt-5", "messages" : [ {"role":"user","content":"\u00e9"},` +
	`{"role":"assistant","content":"b","x":1e2} , {"role":"user","content":"c"}],"config":{}}`

const gatewayList = `[ {"role":"user","content":"\u00e9"},` +
	`{"role":"assistant","content":"b","x":1e2} , {"role":"user","content":"c"}]`

func (r *rig) compress(body string, header ...string) answer {
	r.t.Helper()
	return r.do(r.request("POST", "/v1/compress", strings.NewReader(body), header...))
}

// A gateway gets its messages back, compacted or byte for byte, and nothing goes upstream.
func TestCompress(t *testing.T) {
	panics := func(o *Options) {
		o.Compactor = fake{compact: func(context.Context, Request) compaction.Outcome {
			panic("no")
		}}
	}
	const counted = `,"tokens_before":100,"tokens_after":100,"tokens_saved":0,` +
		`"compression_ratio":1.0000,"transforms_applied":[],"ccr_hashes":[]}`
	const uncounted = `,"transforms_applied":[],"ccr_hashes":[]}`
	for name, c := range map[string]struct {
		set    func(*Options)
		header []string
		want   string
		action string
	}{
		"compacted": {compacting, nil, `{"messages":[ {"role":"user","content":"c"}],` +
			`"tokens_before":1000,"tokens_after":400,"tokens_saved":600,` +
			`"compression_ratio":0.4000,"transforms_applied":["mask","summary"],` +
			`"ccr_hashes":[]}`, "mask, summary"},
		"it fits": {unchanged, nil, `{"messages":` + gatewayList + counted, "none"},
		"observed": {compacting, []string{"Killick-Mode", "observe"}, `{"messages":` +
			gatewayList + strings.ReplaceAll(counted, ":100,", ":1000,"), "observe"},
		"off": {compacting, []string{"Killick-Mode", "off"}, `{"messages":` + gatewayList +
			uncounted, "bypass"},
		"no compactor": {func(*Options) {}, nil, `{"messages":` + gatewayList + uncounted, "none"},
		"a panic":      {panics, nil, `{"messages":` + gatewayList + uncounted, "none"},
	} {
		up := new(sent)
		r := newRig(t, up, c.set)
		a := r.compress(gatewayBody, c.header...)
		if a.StatusCode != 200 || string(a.body) != c.want ||
			a.Header.Get("Killick-Action") != c.action {
			t.Errorf("%s: %d, %s\n%s\nwant %s\n%s", name, a.StatusCode,
				a.Header.Get("Killick-Action"), a.body, c.action, c.want)
		}
		if up.n.Load() != 0 {
			t.Errorf("%s: a request went upstream", name)
		}
		r.eventually("the count of "+name, func() bool {
			return r.metric("killick_requests_total", `route="compress"`) == 1
		})
	}
}

// The form that was made is kept, and the format is that of the messages.
func TestCompressKeepsForms(t *testing.T) {
	done := make(chan bool, 1)
	formats := make(chan string, 1)
	r := newRig(t, new(sent), func(o *Options) {
		o.Compactor = fake{compact: func(ctx context.Context, r Request) compaction.Outcome {
			if r.Who == "" || r.URL != nil || r.Credentials != nil {
				t.Errorf("who %q, URL %v: a gateway's key is not for its model", r.Who, r.URL)
			}
			formats <- r.Chat.Format().Name()
			out := keepLast(ctx, r)
			out.After = func(answered bool) { done <- answered }
			return out
		}}
	})
	for format, content := range map[string]string{
		"chat":     `"a"`,
		"messages": `[{"type":"tool_result","tool_use_id":"1","content":"a"}]`,
	} {
		a := r.compress(`{"messages":[{"role":"user","content":` + content + `}]}`)
		if got := <-formats; got != format || a.StatusCode != 200 {
			t.Errorf("%d, read as %s, want %s", a.StatusCode, got, format)
		}
		if !<-done {
			t.Error("the form was not kept")
		}
	}
}

// What cannot be read gets an error that says what is wanted, and what is not for this path goes
// upstream.
func TestCompressRefuses(t *testing.T) {
	up := new(sent)
	r := newRig(t, up, compacting, func(o *Options) {
		o.Keys = []auth.Key{{Name: "gateway", SHA256: sha256.Sum256([]byte("key-of-a-gateway"))}}
	})
	key := []string{"Authorization", "Bearer key-of-a-gateway"}
	for _, body := range []string{"", "x", "[]", "{}", `{"messages":"a"}`, `{"messages":null}`,
		`{"messages":[{"role":"user"`, `{"messages":[]} {`} {
		a := r.compress(body, key...)
		if a.StatusCode != 400 || !strings.Contains(string(a.body), `want an object with`) {
			t.Errorf("%q: %d %s", body, a.StatusCode, a.body)
		}
	}
	broken := slices.Concat(key, []string{"Content-Encoding", "gzip"})
	if a := r.compress("\x1f\x8b", broken...); a.StatusCode != 400 ||
		!strings.Contains(string(a.body), "content encoding not readable. Send it without") {
		t.Errorf("a broken coding: %d %s", a.StatusCode, a.body)
	}
	if a := r.compress(gatewayBody); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key: %d %s", a.StatusCode, a.body)
	}
	if a := r.compress(`{"messages":[]}`, key...); a.StatusCode != 200 ||
		!strings.HasPrefix(string(a.body), `{"messages":[],`) {
		t.Errorf("no messages: %d %s", a.StatusCode, a.body)
	}
	if up.n.Load() != 0 {
		t.Error("a request went upstream")
	}
	r.do(r.request("GET", "/v1/compress", nil, key...))
	if up.n.Load() != 1 {
		t.Error("GET did not pass through")
	}
}

// Which upstream would take such a request does not matter: a gateway sends it itself.
func TestCompressNeedsNoUpstream(t *testing.T) {
	r, _ := severalRig(t, compacting)
	if a := r.compress(strings.Replace(gatewayBody, "gpt-5", "claude-x", 1)); a.StatusCode != 200 ||
		!strings.Contains(string(a.body), `"tokens_saved":600`) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

// sent counts the requests that go upstream.
type sent struct{ n atomic.Int32 }

func (s *sent) ServeHTTP(http.ResponseWriter, *http.Request) { s.n.Add(1) }

// Nobody verifies the signature of a request that is answered here, and its key id is not secret:
// what was learned for whoever has the key is not used for it.
func TestCompressTrustsNoSignature(t *testing.T) {
	who := make(chan string, 1)
	r := newRig(t, new(sent), func(o *Options) {
		o.Compactor = fake{compact: func(_ context.Context, r Request) compaction.Outcome {
			who <- r.Who
			return compaction.Outcome{Body: []byte(gatewayBody)}
		}}
	})
	signed := func(signature string) string {
		return "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/bedrock/aws4_request, " +
			"SignedHeaders=host, Signature=" + signature
	}
	of := func(path, authorization string) string {
		r.do(r.request("POST", path, strings.NewReader(gatewayBody),
			"Authorization", authorization))
		return <-who
	}
	first := of("/v1/compress", "Bearer a")
	if again := of("/v1/compress", "Bearer a"); again != first {
		t.Error("a key is not the same client twice")
	}
	forwarded := of("/v1/chat/completions", signed("1"))
	if forged := of("/v1/compress", signed("2")); forged == forwarded ||
		forged == of("/v1/compress", signed("3")) {
		t.Error("a signature that nobody verified counts as the owner's of its key")
	}
}
