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

// fakeSummaries is a Summaries of a function.
type fakeSummaries func(ctx context.Context, who, ref string, markdown bool) ([]byte, error)

func (f fakeSummaries) Summary(ctx context.Context, who, ref string, markdown bool) ([]byte, error) {
	return f(ctx, who, ref, markdown)
}

const summariesPath = "/killick/summaries/"

func TestSummaries(t *testing.T) {
	const (
		known   = "abcdefgh234567yz"
		failing = "ffffffffffffffff"
	)
	r := newRig(t, new(recorder), func(o *Options) {
		o.Who = func(parts ...string) string { return strings.Join(parts, "\x01") }
		o.Summaries = fakeSummaries(func(_ context.Context, who, ref string, markdown bool) ([]byte, error) {
			switch {
			case ref == failing:
				return nil, errors.New(`reading "hunter2": disk on fire`)
			case ref != known || !strings.Contains(who, "Bearer mine"):
				return nil, fmt.Errorf("looking: %w", ErrNoOriginal)
			case markdown:
				return []byte("# hunter2\n"), nil
			}
			return []byte(`{"a":1}`), nil
		})
	})
	for name, test := range map[string]struct {
		method, ref, key, accept string
		status                   int
		want                     string // the body; else the code of the error
	}{
		"JSON":                {"GET", known, "mine", "", 200, `{"a":1}`},
		"anything":            {"GET", known, "mine", "*/*", 200, `{"a":1}`},
		"JSON by name":        {"GET", known + "?format=json", "mine", "text/markdown", 200, `{"a":1}`},
		"its header":          {"HEAD", known, "mine", "", 200, ""},
		"Markdown":            {"GET", known + "?format=markdown", "mine", "", 200, "# hunter2\n"},
		"Markdown by header":  {"GET", known, "mine", "text/html;q=0.5, Text/Markdown;q=0.4", 200, "# hunter2\n"},
		"JSON liked better":   {"GET", known, "mine", "text/markdown;q=0.4, application/json", 200, `{"a":1}`},
		"both liked alike":    {"GET", known, "mine", "application/json, text/markdown", 200, "# hunter2\n"},
		"no Markdown":         {"GET", known, "mine", "text/markdown;q=0", 200, `{"a":1}`},
		"a weight that is no": {"GET", known, "mine", "text/markdown;q=high", 200, `{"a":1}`},
		"another format":      {"GET", known + "?format=yaml", "mine", "", 400, "bad_format"},
		"another's":           {"GET", known, "other", "", 404, "not_found"},
		"nobody's":            {"GET", known, "", "", 404, "not_found"},
		"unknown":             {"GET", "zzzzzzzzzzzzzzzz", "mine", "", 404, "not_found"},
		"no ref":              {"GET", "", "mine", "", 400, "bad_ref"},
		"too long":            {"GET", known + "a", "mine", "", 400, "bad_ref"},
		"written to":          {"POST", known, "mine", "", 405, "method_not_allowed"},
		"the store fails":     {"GET", failing, "mine", "", 503, "store_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			req := r.request(test.method, summariesPath+test.ref, nil)
			for header, value := range map[string]string{"Authorization": "Bearer " + test.key, "Accept": test.accept} {
				if value != "" && value != "Bearer " {
					req.Header.Set(header, value)
				}
			}
			a := r.do(req)
			if a.StatusCode != test.status || a.err != nil {
				t.Fatalf("got %d %s (%v), want %d", a.StatusCode, a.body, a.err, test.status)
			}
			if test.status != 200 {
				checkError(t, a, test.want)
				return
			}
			contentType := "application/json; charset=utf-8"
			if strings.HasPrefix(test.want, "#") {
				contentType = "text/markdown; charset=utf-8"
			}
			if string(a.body) != test.want || a.Header.Get("Content-Type") != contentType {
				t.Errorf("got %s %q, want %s %q", a.Header.Get("Content-Type"), a.body, contentType, test.want)
			}
			for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Vary": "Accept"} {
				if got := a.Header.Get(header); got != want {
					t.Errorf("%s: got %q, want %q", header, got, want)
				}
			}
		})
	}
	if log := r.logs.String(); !strings.Contains(log, "a summary could not be read") || strings.Contains(log, "hunter2") {
		t.Errorf("want a failing store in the log, and nothing of its content:\n%s", log)
	}
}

// Nothing but the date tells a summary of somebody else's from one that is not there.
func TestSummariesOfOthersDoNotExist(t *testing.T) {
	with := newRig(t, new(recorder), func(o *Options) {
		o.Summaries = fakeSummaries(func(context.Context, string, string, bool) ([]byte, error) { return nil, ErrNoOriginal })
	})
	without := newRig(t, new(recorder)) // keeps nothing at all
	var replies []string
	for _, r := range []*rig{with, without} {
		a := r.do(r.request("GET", summariesPath+"abcdefgh234567yz", nil, "Authorization", "Bearer other"))
		a.Header.Del("Date")
		replies = append(replies, fmt.Sprint(a.StatusCode, a.Header, string(a.body)))
	}
	if replies[0] != replies[1] || !strings.HasPrefix(replies[0], "404") {
		t.Errorf("got %s\nand %s", replies[0], replies[1])
	}
}

// A ref is reported where there is one, in mode observe too, and an upstream's word
// for it never is.
func TestSummaryIsReported(t *testing.T) {
	for name, test := range map[string]struct {
		ref, mode, want string
	}{
		"a record":    {"abcdefgh234567yz", "", "abcdefgh234567yz"},
		"observed":    {"abcdefgh234567yz", "observe", "abcdefgh234567yz"},
		"off":         {"abcdefgh234567yz", "off", ""},
		"no record":   {"", "", ""},
		"not a ref":   {"a\r\nb", "", ""},
		"one of ours": {"", "observe", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Killick-Summary", "zzzzzzzzzzzzzzzz")
				_, _ = w.Write([]byte(`{}`))
			}), func(o *Options) {
				o.Compactor = fake{compact: func(ctx context.Context, req Request) compaction.Outcome {
					out := keepLast(ctx, req)
					out.SummaryRef = test.ref
					return out
				}}
			})
			headers := []string{"Content-Type", "application/json"}
			if test.mode != "" {
				headers = append(headers, "Killick-Mode", test.mode)
			}
			a := r.do(r.request(http.MethodPost, chatPath, strings.NewReader(threeTurns), headers...))
			if got := strings.Join(a.Header.Values("Killick-Summary"), "|"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
