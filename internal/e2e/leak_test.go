package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"killick/cache"
	"killick/chat"
	"killick/internal/config"
	"killick/internal/fakeupstream"
)

// forms are the spellings in which a text may turn up: traces and the encodings
// that logs, URLs and bodies use, at every alignment of base64.
func forms(text string) (all [][]byte) {
	all = traces(text)
	for skip := range 3 {
		inner := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", skip) + text))
		all = append(all, []byte(inner[4:len(inner)-4]),
			[]byte(strings.NewReplacer("+", "-", "/", "_").Replace(inner[4:len(inner)-4])))
	}
	quoted, _ := json.Marshal(text)
	all = append(all, bytes.Trim(quoted, `"`), []byte(url.QueryEscape(text)),
		[]byte(strings.ToUpper(hex.EncodeToString([]byte(text)))))
	return all
}

// scan reports every place that holds a text in any form.
func scan(t *testing.T, places map[string][]byte, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		for form, trace := range forms(text) {
			for place, content := range places {
				if at := bytes.Index(content, trace); at >= 0 {
					t.Errorf("%s holds the %s (form %d): %.160q", place, name, form,
						content[max(0, at-60):])
				}
			}
		}
	}
}

// leakySession returns the requests of a session that holds credentials and
// words of its own in every kind of message.
func leakySession(n, turns int, secrets, words map[string]string) (bodies [][]byte) {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"gpt-4o","messages":[{"role":"system","content":"You work on %s `+
		`%d."},{"role":"user","content":"Log in with password: %s and %s. Never print `+
		`it."}`, words["system prompt"], n, secrets["password in a request"], words["request"])
	for turn := range turns {
		command, _ := json.Marshal(fmt.Sprintf(`{"command":"curl -H 'Authorization: Bearer %s' `+
			`https://host/%s/%d"}`, secrets["token in a command"], words["command"], turn))
		output, _ := json.Marshal(agentFile(fmt.Sprint(n, turn)) + "\nexport GITHUB_TOKEN=" +
			secrets["token in an output"] + " # " + words["output"])
		fmt.Fprintf(&b,
			`,{"role":"assistant","content":"I decided on %s for step `+
				`%d.","tool_calls":[{"id":"call_%[2]d","type":"function",`+
				`"function":{"name":"bash","arguments":%[3]s}}]},{"role":"tool",`+
				`"tool_call_id":"call_%[2]d","content":%[4]s}`, words["answer"], turn,
			command, output)
		bodies = append(bodies, []byte(b.String()+`]}`))
	}
	return bodies
}

// faultsOfEach drops some requests and lets some hang. Turns and what our own model
// is asked are counted apart: else it would be luck which of them hang, and a
// summary that waits long for its first answer leaves nothing to search.
func faultsOfEach() func(int, *http.Request) fakeupstream.Fault {
	var turns, asked atomic.Int64
	return func(_ int, r *http.Request) fakeupstream.Fault {
		body, _ := io.ReadAll(r.Body)
		n := &turns
		if req, err := chat.Parse(body); err == nil && fakeupstream.Asked(req) != "" {
			n = &asked
		}
		switch n := n.Add(1); {
		case n%11 == 3:
			return fakeupstream.Fault{Drop: true}
		case n%17 == 5:
			return fakeupstream.Fault{Hang: time.Hour}
		}
		return fakeupstream.Fault{}
	}
}

// sendLeakySessions sends sessions to all proxies at once. replies are what they
// return themselves, headers and the bodies of their own errors; actions count what was
// done.
func sendLeakySessions(t *testing.T, all []*watched, sessions int, keys, secrets,
	words map[string]string) (replies []byte, actions map[string]int) {
	t.Helper()
	var mu sync.Mutex
	var b bytes.Buffer
	actions = map[string]int{}
	var workers sync.WaitGroup
	for i, w := range all {
		workers.Go(func() {
			for n := range sessions {
				for turn, body := range leakySession(n, 12, secrets, words) {
					if turn%5 == 4 {
						body = body[:len(body)-turn] // no JSON
					}
					f := ask(t, w.Public+chatPath+"?key="+keys["query key"], body,
						"Authorization", "Bearer "+keys["bearer token"], "Api-Key", keys["api-key"],
						"X-Session-Id", fmt.Sprint(i, n))
					mu.Lock()
					actions[f.header.Get("Killick-Action")]++
					_ = f.header.Write(&b)
					if f.status >= 500 {
						b.Write(f.reply)
					}
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	return b.Bytes(), actions
}

// TestNothingLeaks runs sessions that hold credentials and marked words through
// the wired proxy, faults included, and searches everything that it leaves
// behind. KILLICK_LEAKSCAN sets the number of sessions; make leakscan runs 200.
func TestNothingLeaks(t *testing.T) {
	noLeaks(t)
	sessions := 3
	if testing.Short() {
		sessions = 1
	}
	sessions = numberFrom(t, "KILLICK_LEAKSCAN", sessions)
	keys := map[string]string{
		"bearer token":   "sk-proj-Lk7vQ2mWr4xZ7yH1cD5eF9gT",
		"api-key":        "c75a1e2d8f9b46e3b0d2c4e6f8190837",
		"query key":      "AIzaSyR-4lM8nO3qS6tU9wX2yA5zC8dE",
		"operator's key": "sk-svc-Mn3Op5Qr7St9Uv2Wx4Yz6Ab8",
	}
	secrets := map[string]string{
		"password in a request": "Zx9!kLmn4Qw7Rt2v",
		"token in a command":    "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432",
		"token in an output":    "ghp_" + "a8Kd93LmQp02ZxCv71BnMw64RtYu58GhJk35",
	}
	words := map[string]string{
		"system prompt": "quillondrift-harbour", "request": "brambleworth-lantern",
		"command": "thistledown-carriage", "output": "marrowfenn-saltwharf",
		"answer": "ottervale-gauntlet",
	}
	up := fakeupstream.New(fakeupstream.Config{Scripted: &fakeupstream.Scripted{},
		Fault: faultsOfEach()})
	defer up.Close()
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile,
		[]byte(hex.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))), 0o600); err != nil {
		t.Fatal(err)
	}
	dumps := t.TempDir()
	all := []*watched{
		newWatched(t, up.URL(), func(c *config.Config) {
			c.Timeouts.FirstByte, c.Model.Timeout = time.Second, time.Second
			c.Compaction.Summarizer, c.Compaction.Prepare, c.Debug.DumpDir = "model", 0.1, dumps
		}),
		newWatched(t, up.URL(), func(c *config.Config) {
			c.Cache.EncryptionKeyFile = keyFile
			c.Upstream.APIKey = config.Secret(keys["operator's key"])
			c.Timeouts.FirstByte, c.Compaction.Redact = time.Second, config.RedactAll
		}),
	}
	replies, actions := sendLeakySessions(t, all, sessions, keys, secrets, words)
	if actions["mask"]+actions["summary"]+actions["mask, summary"]+actions["summary, reuse"] == 0 ||
		actions["none"] == 0 {
		t.Fatalf("too little was done: %v", actions)
	}
	// what models were asked and answered: texts of the conversation, and no credential
	dumped := map[string][]byte{}
	for end := time.Now().Add(time.Minute); len(dumped) == 0 &&
		time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		readFolder(t, dumps, dumped)
	}
	if len(dumped) == 0 {
		t.Fatal("no model was asked for a summary: there is no dump to search")
	}
	shown := map[string][]byte{"a header or an error": replies}
	plain, encrypted := map[string][]byte{}, map[string][]byte{} // the files of the two stores
	for i, w := range all {
		shown[fmt.Sprintf("the metrics of proxy %d", i)] = []byte(get(t, w.Admin+"/metrics"))
		w.Stop()
		shown[fmt.Sprintf("the log of proxy %d", i)] = []byte(w.log.String())
		readStore(t, w.folder, []map[string][]byte{plain, encrypted}[i])
	}
	if len(plain) < 3 || len(encrypted) < 3 {
		t.Fatalf("only %d and %d places to search", len(plain), len(encrypted))
	}
	// Without encryption the originals of masked outputs can be read there: the search would find
	// them.
	if !slices.ContainsFunc(slices.Collect(maps.Values(plain)), func(b []byte) bool {
		return bytes.Contains(b, []byte(words["output"]))
	}) {
		t.Error("the store that is not encrypted holds no output: the search proves nothing")
	}
	for _, texts := range []map[string]string{keys, secrets, words} {
		scan(t, shown, texts)
		scan(t, encrypted, texts)
	}
	readFolder(t, dumps, dumped) // those of the last jobs, too
	scan(t, dumped, keys)
	scan(t, dumped, secrets)
	scan(t, plain, keys)
	t.Logf("%d sessions, %v; searched %d places, %d files and values, %d dumps", sessions, actions,
		len(shown), len(plain)+len(encrypted), len(dumped))
}

// readStore reads the files of a store, and in places of their own the values in them that are
// compressed: a search of the files alone would find nothing in those.
func readStore(t *testing.T, folder string, into map[string][]byte) {
	t.Helper()
	files := map[string][]byte{}
	readFolder(t, folder, files)
	for path, content := range files {
		into[path] = content
		for at, value := range decompressed(t, content) {
			into[fmt.Sprintf("%s, decompressed from byte %d", path, at)] = value
		}
	}
}

// zstdMagic is the first four bytes of each zstd frame (RFC 8878, section 3.1.1).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// decompressed returns what every zstd frame in content holds, by its offset. Something else
// follows a frame, so an error says where the frame ends, or that there is none.
func decompressed(t *testing.T, content []byte) map[int][]byte {
	t.Helper()
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(cache.MaxValueBytes))
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	values := map[int][]byte{}
	for at := 0; ; at += len(zstdMagic) {
		next := bytes.Index(content[at:], zstdMagic)
		if next < 0 {
			return values
		}
		at += next
		if value, _ := decoder.DecodeAll(content[at:], nil); len(value) > 0 {
			values[at] = value
		}
	}
}

func readFolder(t *testing.T, folder string, into map[string][]byte) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		into[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A search that finds nothing must be one that would find it.
func TestScanFindsWhatIsThere(t *testing.T) {
	const text = "brambleworth-lantern/7+x"
	for form, content := range map[string]string{
		"as it is":        "a " + text + " b",
		"base64":          base64.StdEncoding.EncodeToString([]byte("ab" + text + "cd")),
		"base64, shifted": base64.URLEncoding.EncodeToString([]byte("a" + text + "cd")),
		"hex":             hex.EncodeToString([]byte(text)),
		"url":             "?q=" + url.QueryEscape(text) + "&x", "half": text[:14],
	} {
		found := false
		for _, trace := range forms(text) {
			found = found || strings.Contains(content, string(trace))
		}
		if !found {
			t.Errorf("%s: %q is not found", form, content)
		}
	}
}
