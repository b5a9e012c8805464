package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"killick/compaction"
	"killick/proxy/stored"
)

// fakeStore is Originals and Summaries of one function.
type fakeStore func(who, ref string, markdown bool) ([]byte, error)

func (f fakeStore) Original(_ context.Context, who, ref string) ([]byte, error) {
	return f(who, ref, false)
}

func (f fakeStore) Summary(_ context.Context, who, ref string, markdown bool) ([]byte, error) {
	return f(who, ref, markdown)
}

func storing(f fakeStore) func(*Options) {
	return func(o *Options) { o.Originals, o.Summaries = f, f }
}

const (
	outputsPath   = "/killick/outputs/"
	summariesPath = "/killick/summaries/"
)

const (
	kept    = "abcdefgh234567yz"
	empty   = "aaaaaaaaaaaaaaaa"
	failing = "ffffffffffffffff"
	panics  = "pppppppppppppppp"
)

var (
	keptContent  = "<html>hunter2 \x00 ü ✓\r\n" + strings.Repeat("long ", 20_000)
	keptMarkdown = "# hunter2\n"
)

// newStoreRig is a proxy whose store has one ref for the key "mine", and faults.
func newStoreRig(t *testing.T) (*rig, *recorder) {
	up := new(recorder)
	store := func(who, ref string, markdown bool) ([]byte, error) {
		switch {
		case ref == failing:
			return nil, errors.New(`reading "hunter2": disk on fire`)
		case ref == panics:
			panic("hunter2")
		case ref == empty:
			return nil, nil
		case ref != kept || !strings.Contains(who, "Bearer mine"):
			return nil, fmt.Errorf("looking: %w", stored.ErrNoOriginal)
		case markdown:
			return []byte(keptMarkdown), nil
		}
		return []byte(keptContent), nil
	}
	return newRig(t, up, storing(store), func(o *Options) {
		o.Who = func(parts ...string) string { return strings.Join(parts, "\x01") }
	}), up
}

// stored asks for what is kept under a ref.
func (r *rig) stored(method, path, key string, headers ...string) answer {
	if key != "" {
		headers = append(headers, "Authorization", "Bearer "+key)
	}
	return r.do(r.request(method, path, nil, headers...))
}

func TestStoredContent(t *testing.T) {
	r, up := newStoreRig(t)
	for name, test := range map[string]struct {
		method, ref, key string
		status           int
		code             string // of the error
	}{
		"kept":               {"GET", kept, "mine", 200, ""},
		"its header":         {"HEAD", kept, "mine", 200, ""},
		"an empty one":       {"GET", empty, "mine", 200, ""},
		"another's":          {"GET", kept, "other", 404, "not_found"},
		"without a key":      {"GET", kept, "", 404, "not_found"},
		"unknown":            {"GET", "zzzzzzzzzzzzzzzz", "mine", 404, "not_found"},
		"no ref":             {"GET", "", "mine", 400, "bad_ref"},
		"too short":          {"GET", kept[1:], "mine", 400, "bad_ref"},
		"too long":           {"GET", kept + "a", "mine", 400, "bad_ref"},
		"upper case":         {"GET", strings.ToUpper(kept), "mine", 400, "bad_ref"},
		"a digit too many":   {"GET", "abcdefgh234567y8", "mine", 400, "bad_ref"},
		"a digit too few":    {"GET", "abcdefgh234567y1", "mine", 400, "bad_ref"},
		"two segments":       {"GET", "abcdefgh/34567yz", "mine", 400, "bad_ref"},
		"an encoded slash":   {"GET", "abcdefgh%2f34567yz", "mine", 400, "bad_ref"},
		"a slash at its end": {"GET", kept + "/", "mine", 400, "bad_ref"},
		"written to":         {"POST", kept, "mine", 405, "method_not_allowed"},
		"deleted":            {"DELETE", kept, "mine", 405, "method_not_allowed"},
		"the store fails":    {"GET", failing, "mine", 503, "store_unavailable"},
		"the store panics":   {"GET", panics, "mine", 500, "internal"},
	} {
		for path, contentType := range map[string]string{
			outputsPath:   "text/plain; charset=utf-8",
			summariesPath: "application/json; charset=utf-8",
		} {
			t.Run(name+" "+path, func(t *testing.T) {
				a := r.stored(test.method, path+test.ref, test.key)
				if a.StatusCode != test.status || a.err != nil {
					t.Fatalf("got %d %s (%v), want %d", a.StatusCode, a.body, a.err, test.status)
				}
				if test.status != 200 {
					checkError(t, a, test.code)
					return
				}
				want := keptContent
				if test.ref == empty {
					want = ""
				}
				if a.ContentLength != int64(len(want)) ||
					test.method == "GET" && string(a.body) != want {
					t.Errorf("got %d bytes of %d, want %d",
						len(a.body), a.ContentLength, len(want))
				}
				checkHeaders(t, a, "Content-Type", contentType,
					"X-Content-Type-Options", "nosniff", "Cache-Control", "no-store")
			})
		}
	}
	log := r.logs.String()
	for _, want := range []string{"an original could not be read", "a summary could not be read"} {
		if !strings.Contains(log, want) || strings.Contains(log, "hunter2") {
			t.Errorf("want %q in the log, and nothing of its content:\n%s", want, log)
		}
	}
	if n := up.count(); n != 0 {
		t.Errorf("%d requests went upstream", n)
	}
}

func checkHeaders(t *testing.T, a answer, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := a.Header.Get(pairs[i]); got != pairs[i+1] {
			t.Errorf("%s: got %q, want %q", pairs[i], got, pairs[i+1])
		}
	}
}

func TestSummariesComeAsJSONOrMarkdown(t *testing.T) {
	r, _ := newStoreRig(t)
	for name, test := range map[string]struct {
		query, accept string
		markdown      bool
	}{
		"nothing asked for":      {"", "", false},
		"anything":               {"", "*/*", false},
		"JSON by name":           {"?format=json", "text/markdown", false},
		"Markdown by name":       {"?format=markdown", "", true},
		"Markdown by header":     {"", "text/html;q=0.5, Text/Markdown;q=0.4", true},
		"JSON preferred":         {"", "text/markdown;q=0.4, application/json", false},
		"neither preferred":      {"", "application/json, text/markdown", true},
		"no Markdown":            {"", "text/markdown;q=0", false},
		"a weight that is none":  {"", "text/markdown;q=high", false},
		"a format without value": {"?format=", "", false},
	} {
		var headers []string
		if test.accept != "" {
			headers = []string{"Accept", test.accept}
		}
		a := r.stored("GET", summariesPath+kept+test.query, "mine", headers...)
		want, contentType := keptContent, "application/json; charset=utf-8"
		if test.markdown {
			want, contentType = keptMarkdown, "text/markdown; charset=utf-8"
		}
		if a.StatusCode != 200 || string(a.body) != want {
			t.Errorf("%s: got %d with %d bytes, want %d",
				name, a.StatusCode, len(a.body), len(want))
		}
		checkHeaders(t, a, "Content-Type", contentType, "Vary", "Accept")
	}
	checkError(t, r.stored("GET", summariesPath+kept+"?format=yaml", "mine"), "bad_format")
}

// TestContentOfOthersDoesNotExist: nothing but the date differs between the two answers.
func TestContentOfOthersDoesNotExist(t *testing.T) {
	with := newRig(t, new(recorder), storing(func(string, string, bool) ([]byte, error) {
		return nil, stored.ErrNoOriginal
	}))
	without := newRig(t, new(recorder)) // keeps nothing at all
	for _, path := range []string{outputsPath, summariesPath} {
		var replies []string
		for _, r := range []*rig{with, without} {
			a := r.stored("GET", path+kept, "other")
			a.Header.Del("Date")
			replies = append(replies, fmt.Sprint(a.StatusCode, a.Header, string(a.body)))
		}
		if replies[0] != replies[1] || !strings.HasPrefix(replies[0], "404") {
			t.Errorf("%s: got %s\nand %s", path, replies[0], replies[1])
		}
	}
}

// TestContentIsReadUnderTheNameThatWroteIt: wherever the credential stands.
func TestContentIsReadUnderTheNameThatWroteIt(t *testing.T) {
	for name, test := range map[string]struct {
		set     func(*Options)
		query   string
		headers []string
	}{
		"none":         {},
		"a key":        {headers: []string{"Authorization", "Bearer a", "OpenAI-Project", "p"}},
		"in the query": {query: "?api-version=1&api-key=a"},
		"a tenant": {
			set:     func(o *Options) { o.Isolation = "header:X-Tenant" },
			headers: []string{"X-Tenant", "a"},
		},
		"after a key": {
			set:     func(o *Options) { o.Upstream.APIKey = "operator" },
			headers: []string{"Api-Key", "a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var wrote, reads string
			r := newRig(t, new(recorder), storing(func(who, _ string, _ bool) ([]byte, error) {
				reads = who
				return nil, stored.ErrNoOriginal
			}), func(o *Options) {
				o.Compactor = fake{compact: func(_ context.Context, r Request) compaction.Outcome {
					wrote = r.Who
					return compaction.Outcome{Body: r.Chat.Raw()}
				}}
				if test.set != nil {
					test.set(o)
				}
			})
			r.do(r.request(http.MethodPost, chatPath+test.query, strings.NewReader(threeTurns),
				test.headers...))
			for _, path := range []string{outputsPath, summariesPath} {
				reads = ""
				r.stored(http.MethodGet, path+kept+test.query, "", test.headers...)
				if wrote == "" || reads != wrote {
					t.Errorf("%s: read as %q, written as %q", path, reads, wrote)
				}
			}
		})
	}
}

// A ref is reported where there is one, in mode observe too, and an upstream's header of
// that name never is.
func TestSummaryIsReported(t *testing.T) {
	for name, test := range map[string]struct {
		ref, mode, want string
	}{
		"a record":            {kept, "", kept},
		"observed":            {kept, "observe", kept},
		"off":                 {kept, "off", ""},
		"no record":           {"", "", ""},
		"not a ref":           {"a\r\nb", "", ""},
		"no record, observed": {"", "observe", ""},
	} {
		t.Run(name, func(t *testing.T) {
			compact := func(ctx context.Context, req Request) compaction.Outcome {
				out := keepLast(ctx, req)
				out.SummaryRef = test.ref
				return out
			}
			r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Killick-Summary", "zzzzzzzzzzzzzzzz")
				_, _ = w.Write([]byte(`{}`))
			}), func(o *Options) { o.Compactor = fake{compact: compact} })
			headers := []string{"Content-Type", "application/json"}
			if test.mode != "" {
				headers = append(headers, "Killick-Mode", test.mode)
			}
			a := r.do(r.request(http.MethodPost, chatPath, strings.NewReader(threeTurns),
				headers...))
			if got := strings.Join(a.Header.Values("Killick-Summary"), "|"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Nobody verifies a signature before a request that is answered here: whoever knows the id of a
// key may write it into a header, and reads nothing with it, over MCP neither.
func TestForgedSignaturesReadNothing(t *testing.T) {
	const signed = "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/bedrock/aws4_request, " +
		"SignedHeaders=host, Signature="
	var wrote string
	var reads []string
	r := newRig(t, new(recorder), storing(func(who, _ string, _ bool) ([]byte, error) {
		reads = append(reads, who)
		return nil, stored.ErrNoOriginal
	}), func(o *Options) {
		o.Expand = ExpandMCP
		o.Compactor = fake{compact: func(_ context.Context, r Request) compaction.Outcome {
			wrote = r.Who
			return compaction.Outcome{Body: r.Chat.Raw()}
		}}
	})
	r.chat(threeTurns, "Authorization", signed+"aa")
	forged := []string{"Authorization", signed + "bb"}
	r.stored(http.MethodGet, outputsPath+kept, "", forged...)
	r.stored(http.MethodGet, summariesPath+kept, "", forged...)
	r.do(r.request(http.MethodPost, "/killick/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,`+
		`"method":"tools/call","params":{"name":"killick_expand","arguments":{"ref":"`+kept+
		`"}}}`), append(forged, "Content-Type", "application/json",
		"Accept", "application/json, text/event-stream")...))
	if len(reads) != 3 || wrote == "" || slices.Contains(reads, wrote) {
		t.Errorf("written as %q, read as %q with a forged signature, want three others",
			wrote, reads)
	}
}
