package e2e

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"killick/compactor/report"
	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/internal/wire"
)

const summariesPath = "/killick/summaries/"

func viewOf(t *testing.T, g *gateway, key, ref string, headers ...string) (status int,
	content string) {
	t.Helper()
	return send(t, http.MethodGet, g.url+summariesPath+ref, nil,
		append(headers, "Authorization", "Bearer "+key)...)
}

func reportOf(t *testing.T, content string) (r report.Report) {
	t.Helper()
	if err := json.Unmarshal([]byte(content), &r); err != nil {
		t.Fatalf("%v: %.200q", err, content)
	}
	return r
}

// Each reply whose request was forwarded with a record names its summary, always the
// same one while the form is the same, and nobody but the sender is shown it.
func TestSummariesAreShown(t *testing.T) {
	noLeaks(t)
	g := newGateway(t, fakeupstream.Config{}, foldBetween(6000, 4000))
	start := time.Now().Truncate(time.Second)
	last, reused, refs := "", 0, map[string]bool{}
	for n, body := range sessionTurns("anybody", 24) {
		f := g.chat(t, "sk-mine", body)
		ref, record := f.header.Get("Killick-Summary"), recordOf(t, f.body)
		if (ref == "") != (record == "") {
			t.Fatalf("turn %d: ref %q, record %.60q", n, ref, record)
		}
		if ref == "" {
			continue
		}
		if f.did("reuse") {
			if reused++; ref != last {
				t.Errorf("turn %d: the form is the one before, the ref is not", n)
			}
		}
		last, refs[ref] = ref, true
		status, content := viewOf(t, g, "sk-mine", ref)
		if status != http.StatusOK {
			t.Fatalf("turn %d: status %d: %s", n, status, content)
		}
		r := reportOf(t, content)
		if !strings.Contains(r.Record, record) || r.Compressions < 1 || r.Messages.First != 1 ||
			r.LastCompressed.Before(start) || r.LastCompressed.After(time.Now()) {
			t.Errorf("turn %d: %d compressions of %+v at %v, record %.80q, want %.80q", n,
				r.Compressions, r.Messages, r.LastCompressed, r.Record, record)
		}
		if len(r.Sections) == 0 || len(r.Dropped) == 0 || r.Probe == nil || r.Summary == nil ||
			len(r.Kept) == 0 || r.Tokens.Records == 0 {
			t.Errorf("turn %d: something is missing: %s", n, content)
		}
	}
	if len(refs) < 2 || reused == 0 {
		t.Fatalf("%d forms, %d of them used again", len(refs), reused)
	}
	for ref := range refs { // those of earlier forms as well
		if status, content := viewOf(t, g, "sk-mine", ref, "Accept", "text/markdown"); status !=
			http.StatusOK || !strings.HasPrefix(content, "# Summary of messages 1 to ") {
			t.Errorf("as Markdown: %d %.80q", status, content)
		}
		status, got := viewOf(t, g, "sk-other", ref)
		if _, unknown := viewOf(t, g, "sk-other", "aaaaaaaaaaaaaaaa"); status !=
			http.StatusNotFound || got != unknown {
			t.Errorf("under another key: %d %.80q, want 404 %q", status, got, unknown)
		}
	}
}

// What is kept and is not a summary is none to its own sender either.
func TestOutputsAreNoSummaries(t *testing.T) {
	g := newGateway(t, fakeupstream.Config{}, between(3200, 2200))
	body := sessionBody("anybody", 8)
	f := g.chat(t, "sk-mine", body)
	for ref := range hiddenOutputs(t, body, f.body, "[Output masked") {
		if status, content := viewOf(t, g, "sk-mine", ref); status != http.StatusNotFound {
			t.Errorf("%s: got %d %.80q, want 404", ref, status, content)
		}
	}
}

// Mode observe reports the summary that would have been used.
func TestSummariesAreShownWhereTheyAreObserved(t *testing.T) {
	g := newGateway(t, fakeupstream.Config{}, func(c *config.Config) {
		foldBetween(6000, 4000)(c)
		c.Compaction.Mode = config.ModeObserve
	})
	body := sessionBody("anybody", 16)
	f := g.chat(t, "sk-mine", body)
	if !bytes.Equal(f.body, body) {
		t.Fatal("the request was changed")
	}
	if status, content := viewOf(t, g, "sk-mine", f.header.Get("Killick-Summary")); status !=
		http.StatusOK || reportOf(t, content).Record == "" {
		t.Errorf("got %d %.80q", status, content)
	}
}

// A summary outlives the process, and goes with the client's data.
func TestSummariesAreKeptAndDeleted(t *testing.T) {
	body := sessionBody("anybody", 16)
	for path, forgotten := range map[string][]byte{"/killick/conversations": body,
		"/killick/data": nil} {
		t.Run(path, func(t *testing.T) {
			upstream := fakeupstream.New(fakeupstream.Config{Record: true, Count: countForUpstream})
			t.Cleanup(upstream.Close)
			c := balanced()
			foldBetween(6000, 4000)(&c)
			c.Upstream.BaseURL, c.Cache.Dir = upstream.URL(), t.TempDir()+"/store"
			ref, content := "", ""
			t.Run("first process", func(t *testing.T) {
				_, url := serving(t, c, slog.New(slog.DiscardHandler))
				g := &gateway{url, upstream}
				ref = g.chat(t, "sk-mine", body).header.Get("Killick-Summary")
				if _, content = viewOf(t, g, "sk-mine", ref); reportOf(t, content).Record == "" {
					t.Errorf("got %.80q", content)
				}
			})
			_, url := serving(t, c, slog.New(slog.DiscardHandler))
			g := &gateway{url, upstream}
			if _, again := viewOf(t, g, "sk-mine", ref); again != content {
				t.Errorf("after a restart: got %.80q, want %.80q", again, content)
			}
			if again := g.chat(t, "sk-mine", body).header.Get("Killick-Summary"); again != ref {
				t.Errorf("after a restart the ref is %q, want %q", again, ref)
			}
			if status, reply := send(t, http.MethodDelete, url+path, forgotten, "Authorization",
				"Bearer sk-other"); status != http.StatusOK {
				t.Fatalf("%d %s", status, reply)
			}
			if status, _ := viewOf(t, g, "sk-mine", ref); status != http.StatusOK {
				t.Errorf("after somebody else's data was forgotten: status %d", status)
			}
			if status, reply := send(t, http.MethodDelete, url+path, forgotten, "Authorization",
				"Bearer sk-mine"); status != http.StatusOK {
				t.Fatalf("%d %s", status, reply)
			}
			if status, got := viewOf(t, g, "sk-mine", ref); status != http.StatusNotFound {
				t.Errorf("forgotten: got %d %.80q, want 404", status, got)
			}
		})
	}
}

// Where dumps are asked for, each new form is one, though no model writes.
func TestFoldsAreDumped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dumps")
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	g := newGateway(t, fakeupstream.Config{}, func(c *config.Config) {
		foldBetween(6000, 4000)(c)
		c.Debug.DumpDir, c.Compaction.Redact = dir, config.RedactOff
	})
	turns := sessionTurns("anybody", 24)
	refs := map[string]bool{}
	for _, body := range turns {
		body = bytes.ReplaceAll(body, []byte("Reading file"),
			[]byte("With "+secret+" reading file"))
		if ref := g.chat(t, "sk-mine", body).header.Get("Killick-Summary"); ref != "" {
			refs[ref] = true
		}
	}
	pages, _ := filepath.Glob(filepath.Join(dir, "*-fold.md"))
	all, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(refs) == 0 || len(pages) != len(refs) || len(all) != 2*len(pages) {
		t.Fatalf("%d forms, %d pages in %d files", len(refs), len(pages), len(all))
	}
	for _, name := range all {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(secret)) || bytes.Contains(data, []byte("sk-mine")) ||
			!bytes.Contains(data, []byte("[redacted")) {
			t.Errorf("%s holds a credential, or nothing was taken out", name)
		}
		if strings.HasSuffix(name, ".json") {
			if r := reportOf(t, string(data)); r.Record == "" || r.Compressions == 0 ||
				len(r.Sections) == 0 {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

// A folder that cannot be made is a fault of the configuration, with and without a model.
func TestDumpsNeedAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := balanced()
	c.Cache.InMemory, c.Debug.DumpDir = true, filepath.Join(file, "dumps")
	if _, err := wire.Build(c, slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), "debug.dump_dir") {
		t.Errorf("got %v, want a fault of debug.dump_dir", err)
	}
}
