package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"killick/compaction"
)

// fakeOriginals is an Originals of a function field.
type fakeOriginals struct {
	original func(ctx context.Context, who, ref string) ([]byte, error)
}

func (f fakeOriginals) Original(ctx context.Context, who, ref string) ([]byte, error) {
	return f.original(ctx, who, ref)
}

const outputsPath = "/killick/outputs/"

func TestOutputs(t *testing.T) {
	const (
		kept    = "abcdefgh234567yz"
		empty   = "aaaaaaaaaaaaaaaa"
		failing = "ffffffffffffffff"
		panics  = "pppppppppppppppp"
	)
	content := "<html>hunter2 \x00 ü ✓\r\n" + strings.Repeat("long ", 20_000)
	up := new(recorder)
	r := newRig(t, up, func(o *Options) {
		o.Who = func(parts ...string) string { return strings.Join(parts, "\x01") }
		o.Originals = fakeOriginals{func(_ context.Context, who, ref string) ([]byte, error) {
			switch {
			case ref == failing:
				return nil, errors.New(`reading "hunter2": disk on fire`)
			case ref == panics:
				panic("hunter2")
			case ref == kept && strings.Contains(who, "Bearer mine"):
				return []byte(content), nil
			case ref == empty:
				return nil, nil
			}
			return nil, fmt.Errorf("looking: %w", ErrNoOriginal)
		}}
	})
	for name, test := range map[string]struct {
		method, ref, key string
		status           int
		code             string // of the error
	}{
		"kept":                 {"GET", kept, "mine", 200, ""},
		"its header":           {"HEAD", kept, "mine", 200, ""},
		"an empty one":         {"GET", empty, "mine", 200, ""},
		"another's":            {"GET", kept, "other", 404, "not_found"},
		"nobody's":             {"GET", kept, "", 404, "not_found"},
		"unknown":              {"GET", "zzzzzzzzzzzzzzzz", "mine", 404, "not_found"},
		"no ref":               {"GET", "", "mine", 400, "bad_ref"},
		"too short":            {"GET", kept[1:], "mine", 400, "bad_ref"},
		"too long":             {"GET", kept + "a", "mine", 400, "bad_ref"},
		"upper case":           {"GET", strings.ToUpper(kept), "mine", 400, "bad_ref"},
		"a digit too many":     {"GET", "abcdefgh234567y8", "mine", 400, "bad_ref"},
		"a digit too few":      {"GET", "abcdefgh234567y1", "mine", 400, "bad_ref"},
		"two segments":         {"GET", "abcdefgh/34567yz", "mine", 400, "bad_ref"},
		"an encoded slash":     {"GET", "abcdefgh%2f34567yz", "mine", 400, "bad_ref"},
		"a slash at its end":   {"GET", kept + "/", "mine", 400, "bad_ref"},
		"written to":           {"POST", kept, "mine", 405, "method_not_allowed"},
		"deleted":              {"DELETE", kept, "mine", 405, "method_not_allowed"},
		"the store fails":      {"GET", failing, "mine", 503, "store_unavailable"},
		"the store goes wrong": {"GET", panics, "mine", 500, "internal"},
	} {
		t.Run(name, func(t *testing.T) {
			req := r.request(test.method, outputsPath+test.ref, nil)
			if test.key != "" {
				req.Header.Set("Authorization", "Bearer "+test.key)
			}
			a := r.do(req)
			if a.StatusCode != test.status || a.err != nil {
				t.Fatalf("got %d %s (%v), want %d", a.StatusCode, a.body, a.err, test.status)
			}
			if test.status != 200 {
				checkError(t, a, test.code)
				return
			}
			want := content
			if test.ref == empty {
				want = ""
			}
			if a.ContentLength != int64(len(want)) || test.method == "GET" && string(a.body) != want {
				t.Errorf("got %d bytes of %d, want the %d of the original", len(a.body), a.ContentLength, len(want))
			}
			for header, want := range map[string]string{
				"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			} {
				if got := a.Header.Get(header); got != want {
					t.Errorf("%s: got %q, want %q", header, got, want)
				}
			}
		})
	}
	if log := r.logs.String(); !strings.Contains(log, "an original could not be read") || strings.Contains(log, "hunter2") {
		t.Errorf("want a failing store in the log, and nothing of its content:\n%s", log)
	}
	if n := up.count(); n != 0 {
		t.Errorf("%d requests went upstream", n)
	}
}

// TestOutputsOfOthersDoNotExist: nothing but the date tells the two apart.
func TestOutputsOfOthersDoNotExist(t *testing.T) {
	const ref = "abcdefgh234567yz"
	with := newRig(t, new(recorder), func(o *Options) {
		o.Originals = fakeOriginals{func(context.Context, string, string) ([]byte, error) { return nil, ErrNoOriginal }}
	})
	without := newRig(t, new(recorder)) // keeps nothing at all
	var replies []string
	for _, r := range []*rig{with, without} {
		a := r.do(r.request("GET", outputsPath+ref, nil, "Authorization", "Bearer other"))
		a.Header.Del("Date")
		replies = append(replies, fmt.Sprint(a.StatusCode, a.Header, string(a.body)))
	}
	if replies[0] != replies[1] || !strings.HasPrefix(replies[0], "404") {
		t.Errorf("got %s\nand %s", replies[0], replies[1])
	}
}

// TestOutputsAreAskedForAsTheyWereSent: the reader's name is the writer's,
// wherever the credential stands.
func TestOutputsAreAskedForAsTheyWereSent(t *testing.T) {
	for name, test := range map[string]struct {
		set     func(*Options)
		query   string
		headers []string
	}{
		"nobody":       {},
		"a key":        {headers: []string{"Authorization", "Bearer a", "OpenAI-Project", "p"}},
		"in the query": {query: "?api-version=1&api-key=a"},
		"a tenant":     {set: func(o *Options) { o.Isolation = "header:X-Tenant" }, headers: []string{"X-Tenant", "a"}},
		"behind a key": {set: func(o *Options) { o.APIKey = "operator" }, headers: []string{"Api-Key", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var wrote, reads string
			r := newRig(t, new(recorder), func(o *Options) {
				o.Compactor = fake{compact: func(_ context.Context, r Request) compaction.Outcome {
					wrote = r.Who
					return compaction.Outcome{Body: r.Chat.Raw()}
				}}
				o.Originals = fakeOriginals{func(_ context.Context, who, _ string) ([]byte, error) {
					reads = who
					return nil, ErrNoOriginal
				}}
				if test.set != nil {
					test.set(o)
				}
			})
			r.do(r.request(http.MethodPost, chatPath+test.query, strings.NewReader(threeTurns), test.headers...))
			r.do(r.request(http.MethodGet, outputsPath+"abcdefgh234567yz"+test.query, nil, test.headers...))
			if wrote == "" || reads != wrote {
				t.Errorf("read as %q, written as %q", reads, wrote)
			}
		})
	}
}
