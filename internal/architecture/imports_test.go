// Package architecture tests rules about the repository that the compiler does not check. It has no
// other code.
package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rules list what each package, not counting tests, may import beside the standard library: other
// packages of the project by their path in it, and modules. reason is why it may import nothing
// else.
var rules = map[string]struct {
	allowed []string
	reason  string
}{
	"rawjson": {nil,
		"everybody reads JSON with it, so it must drag nothing in and know no format"},
	"view": {[]string{"rawjson", "internal/series", "github.com/cespare/xxhash/v2"},
		"everybody reads conversations with it, so it must name no format and decide nothing"},
	"chat": {[]string{"rawjson", "view"},
		"a format is read and written, whatever is decided, and knows no other format"},
	"converse": {[]string{"rawjson", "view"},
		"a format is read and written, whatever is decided, and knows no other format"},
	"gemini": {[]string{"rawjson", "view"},
		"a wire format is lossless and decides nothing"},
	"messages": {[]string{"rawjson", "view"},
		"a format is read and written, whatever is decided, and knows no other format"},
	"responses": {[]string{"rawjson", "view"},
		"a format is read and written, whatever is decided, and knows no other format"},
	"internal/viewtest": {[]string{"view"},
		"every format is checked by it in the same way"},
	"tokenizer": {[]string{"rawjson", "view", "tokenizer/bpe"},
		"a count depends on the request and the published ranks, on no store and no plan"},
	"tokenizer/bpe": {[]string{"github.com/pkoukk/tiktoken-go",
		"github.com/pkoukk/tiktoken-go-loader"},
		"the tokens of a text depend on the text and the published ranks, on no request"},
	"tokenizer/internal/corpus": {nil,
		"tests of both packages make their texts with it, so it must drag neither in"},
	"transcript": {[]string{"rawjson", "view", "reference", "internal/series",
		"transcript/script", "transcript/shell", "transcript/speech"},
		"what was said and done does not depend on who reads it, nor what for"},
	"transcript/script": {[]string{"rawjson", "github.com/tdewolff/parse/v2"},
		"what a script calls follows from its text, whoever wrote it and for whatever agent"},
	"transcript/speech": {[]string{"view"},
		"who wrote a part of a message follows from the message alone"},
	"transcript/shell": {[]string{"mvdan.cc/sh/v3/syntax"},
		"what a command changes follows from its text, whoever runs it and however it ends"},
	"reference": {nil,
		"a name is a name in any text, whoever looks for it"},
	"compaction": {[]string{"chat"},
		"nouns that the compactor and the HTTP side share must not tie one to the other"},
	"summary": {[]string{"rawjson", "view", "reference", "transcript", "transcript/speech",
		"internal/packed", "github.com/clipperhouse/uax29"},
		"a record follows from the conversation alone: no store, plan, model or count may " +
			"change a line"},
	"prices": {[]string{"github.com/goccy/go-yaml"},
		"what a model charges depends on no request, no plan and no configuration"},
	"probe": {[]string{"view", "compaction", "transcript", "transcript/speech"},
		"a judge that knew the record's writer, or the model's client, would share its faults"},
	"redact": {nil,
		"whoever writes text down uses it, so it must drag nothing in"},
	"cache": {[]string{"view", "cache/badgerdir", "cache/platform",
		"github.com/dgraph-io/badger/v4", "github.com/maypok86/otter/v2",
		"github.com/klauspost/compress", "golang.org/x/sys"},
		"the store keeps bytes under keys; what they mean is the compactor's"},
	"cache/badgerdir": {[]string{"github.com/dgraph-io/badger/v4"},
		"files are damaged or not whatever is stored in them"},
	"cache/platform": {nil,
		"the system is asked about files; what a store does about the answer is its own decision"},
	"compactor": {[]string{
		"view", "compaction", "probe", "reference", "summary", "transcript/speech",
		"compactor/checkpoint", "compactor/fold", "compactor/history", "compactor/layout",
		"compactor/mask", "compactor/plan", "compactor/prepare", "compactor/report",
		"compactor/settings", "compactor/trigger", "compactor/truncate", "internal/packed",
	},
		"it walks a request through the subjects below it; it counts, stores and asks models " +
			"through interfaces"},
	"compactor/plan": {nil,
		"a decision follows from sizes alone: it sees no message and no form"},
	"compactor/settings": {[]string{"view", "compaction", "compactor/plan", "reference",
		"transcript/speech"},
		"what the operator asked for depends on no conversation"},
	"compactor/trigger": {[]string{"compactor/plan", "compactor/settings"},
		"each threshold follows from settings and prices alone"},
	"compactor/layout": {[]string{"view", "compactor/settings", "transcript", "internal/series"},
		"a conversation is laid out the same whatever form it has"},
	"compactor/checkpoint": {[]string{"rawjson", "view", "compaction", "compactor/layout",
		"compactor/settings", "summary", "summary/workset", "transcript/speech",
		"internal/packed"},
		"a form is rendered the same whoever made it"},
	"summary/workset": {[]string{"view", "reference", "summary", "transcript", "internal/packed"},
		"which lines are needed follows from the conversation, whoever folds it"},
	"compactor/preview": {[]string{"reference", "summary", "transcript"},
		"the lines of an output are chosen the same for whatever shows them"},
	"compactor/truncate": {[]string{"view", "reference", "compactor/checkpoint",
		"compactor/preview", "compactor/layout", "compactor/settings", "summary", "transcript",
		"internal/series"},
		"what is shown on arrival must not depend on a form, or it would change with it"},
	"compactor/history": {[]string{"rawjson", "view", "compactor/checkpoint", "compactor/layout",
		"compactor/plan", "compactor/settings", "transcript", "internal/series"},
		"what is read does not depend on what is made of it"},
	"compactor/mask": {[]string{"compaction", "compactor/checkpoint", "compactor/preview",
		"compactor/history", "compactor/layout", "compactor/plan", "reference", "summary",
		"transcript", "transcript/speech"},
		"masks and folds are made apart: a plan chooses between them"},
	"compactor/fold": {
		[]string{"rawjson", "view", "compaction", "compactor/checkpoint", "compactor/preview",
			"compactor/history", "compactor/layout", "compactor/plan", "compactor/settings",
			"summary", "summary/workset",
			"transcript", "transcript/speech", "internal/series"},
		"masks and folds are made apart: a plan chooses between them",
	},
	"compactor/prepare": {[]string{
		"view", "compaction", "compactor/checkpoint", "compactor/fold", "compactor/history",
		"compactor/layout", "compactor/mask", "compactor/plan", "compactor/settings",
		"compactor/trigger", "probe", "summary",
	},
		"what a model wrote reaches a record here alone, after it was verified"},
	"compactor/report": {[]string{"compaction", "compactor/checkpoint", "summary"},
		"people are told of forms; no decision is made by it"},
	"model": {[]string{"chat", "view", "model/endpoint", "model/prompt", "model/schema", "probe"},
		"what a model is asked depends on no plan and no store; the nouns of it are those of " +
			"the judge"},
	"model/endpoint": {[]string{"rawjson", "view", "proxy/format", "internal/hourly",
		"github.com/sony/gobreaker/v2"},
		"how a model is reached does not depend on what it is asked; a reply states its usage " +
			"the same to whoever reads it"},
	"model/prompt": {[]string{"rawjson", "view"},
		"a text for a model depends on no answer and on no endpoint"},
	"model/schema": {[]string{"github.com/santhosh-tekuri/jsonschema/v6"},
		"the form of an answer depends on neither the prompt nor the endpoint"},
	"replay/aschat": {[]string{"chat", "converse", "gemini", "messages", "responses", "rawjson",
		"view"},
		"what was recorded in any format is measured as chat; nothing that is sent passes here"},
	"replay": {[]string{"chat", "rawjson", "view", "transcript", "transcript/speech",
		"replay/aschat"},
		"a measure that shared code with what decides or writes would share its faults; what was " +
			"said it reads as everybody does"},
	"proxy": {[]string{
		"chat", "messages", "responses", "rawjson", "view", "compaction",
		"internal/metric", "proxy/auth", "proxy/body", "proxy/class", "proxy/coding", "proxy/cors",
		"proxy/events", "proxy/expand", "proxy/fault", "proxy/format", "proxy/keepalive",
		"proxy/mcp", "proxy/overflow", "proxy/reply", "proxy/stall", "proxy/stored", "proxy/tap",
		"proxy/target",
		"github.com/gin-gonic/gin", "github.com/prometheus/client_golang",
	},
		"HTTP must not depend on how a request is compacted: it sees one small interface"},
	"cache/shared": {[]string{"cache", "internal/hourly", "internal/packed",
		"github.com/redis/go-redis/v9",
		"github.com/maypok86/otter/v2", "golang.org/x/crypto"},
		"what replicas share is values under names: what they mean is for others to know"},
	"internal/hourly": {nil,
		"an hour is the same whatever is counted in it"},
	"internal/metric": {[]string{"github.com/prometheus/client_golang"},
		"a metric is made the same whatever is counted"},
	"internal/packed": {nil,
		"values are written the same whatever they are for"},
	"internal/series": {nil,
		"a list is shared whatever is in it"},
	"internal/convert": {[]string{"rawjson"},
		"what it spells is judged by the formats, so it must share none of their code"},
	"internal/chattest": {[]string{"chat", "rawjson", "view"},
		"tests of every package spell messages with it, so it must drag none of them in"},
	"proxy/auth": {nil,
		"who a client is follows from its request and the configured keys alone"},
	"proxy/body": {[]string{"proxy/coding", "proxy/stall", "golang.org/x/sync"},
		"bodies are held and counted whatever is in them"},
	"proxy/class": {[]string{"chat", "converse", "gemini", "messages", "responses", "rawjson",
		"view", "compaction", "proxy/format"},
		"what a wire format needs of HTTP is one table, whoever reads it"},
	"proxy/coding": {[]string{"github.com/klauspost/compress", "github.com/andybalholm/brotli"},
		"bytes are decoded whatever they are for"},
	"proxy/coding/codingtest": {[]string{"github.com/klauspost/compress",
		"github.com/andybalholm/brotli"},
		"tests encode with it what package coding decodes, and share none of its code"},
	"proxy/cors": {nil,
		"a browser's permission depends on its origin alone"},
	"proxy/expand": {[]string{"rawjson", "proxy/coding", "proxy/format"},
		"a call is answered by the bytes of a reply, whoever sends and whatever is kept"},
	"proxy/mcp": {[]string{"proxy/expand", "github.com/modelcontextprotocol/go-sdk"},
		"a protocol for tools serves one, and what that answers is asked of its caller"},
	"proxy/events": {nil,
		"events of every API are read alike, whatever they report"},
	"proxy/fault": {[]string{"proxy/body", "proxy/format"},
		"what a client is told of a failure depends on no request"},
	"proxy/format": {[]string{"chat", "rawjson"},
		"how a format looks to HTTP depends on no conversation in it"},
	"proxy/keepalive": {[]string{"chat", "internal/hourly", "internal/metric", "prices",
		"proxy/format", "rawjson", "view", "github.com/prometheus/client_golang"},
		"what pays follows from prices, tokens and times: it sees no plan, no form and no store"},
	"proxy/overflow": {[]string{"rawjson", "compaction"},
		"a refusal is recognised by its bytes alone, so that it can be tested on every " +
			"provider's words"},
	"proxy/reply": {[]string{"proxy/body"},
		"how a client is written to does not depend on what is done with its request"},
	"proxy/stall": {nil,
		"how long somebody was silent does not depend on what is sent"},
	"proxy/stored": {[]string{"chat", "converse", "gemini", "messages", "responses", "view",
		"proxy/auth", "proxy/body", "proxy/coding", "proxy/expand", "proxy/fault",
		"proxy/keepalive", "github.com/gin-gonic/gin"},
		"who may read or delete what is stored does not depend on how it came to be"},
	"proxy/frames": {[]string{"rawjson", "proxy/coding", "github.com/aws/aws-sdk-go-v2"},
		"it reads events in the frames of a stream, and knows no format"},
	"proxy/tap": {[]string{"chat", "proxy/coding", "proxy/events", "proxy/format",
		"proxy/frames", "proxy/overflow"},
		"whoever reads a reply while it passes must not be able to change it"},
	"proxy/target": {[]string{"proxy/auth", "proxy/body", "proxy/format"},
		"where a request goes follows from its path and the configuration, and what it holds " +
			"is no matter"},
	"internal/fuzzed": {nil,
		"what builds hostile requests must not share the reader's idea of a request"},
	"internal/groundcheck": {nil,
		"a checker that shared code with the writer would share its faults"},
	"internal/recorded": {[]string{"chat", "view"},
		"tests of every package read recordings with it, so it must drag none of them in"},
	"internal/fakeserver": {nil,
		"scripted upstreams of every API share it, so it must know none of them"},
	"internal/fakeconverse": {[]string{"internal/fakeserver", "github.com/aws/aws-sdk-go-v2"},
		"a scripted upstream that shared our parsers could not catch us breaking JSON"},
	"internal/fakeollama": {[]string{"internal/fakeserver"},
		"a scripted upstream must not share code with what it checks"},
	"internal/fakegemini": {[]string{"internal/fakeserver"},
		"a scripted upstream that shared our parsers could not catch us breaking JSON"},
	"internal/fakemessages": {[]string{"internal/fakeserver", "github.com/aws/aws-sdk-go-v2"},
		"an upstream that shared code with the proxy would share its faults"},
	"internal/fakeserver/openaiapi": {[]string{"internal/fakeserver"},
		"an error has the same shape whatever API of OpenAI's was asked"},
	"internal/fakeresponses": {[]string{"internal/fakeserver", "internal/fakeserver/openaiapi",
		"github.com/coder/websocket"},
		"an upstream that shared code with the proxy would share its faults"},
	"internal/fakeupstream": {[]string{"chat", "rawjson", "view", "internal/fakeserver",
		"internal/fakeserver/openaiapi"},
		"an upstream that shared code with the proxy would share its faults"},
	"internal/agents": {[]string{"view", "internal/fakeconverse", "internal/fakegemini",
		"internal/fakemessages", "internal/fakeollama", "internal/fakeresponses",
		"internal/fakeserver", "internal/fakeupstream"},
		"it judges the built proxy from outside, as an agent and an upstream see it"},
	"internal/loadtest": {[]string{"internal/convert", "internal/fakeupstream",
		"internal/loadtest/conversations"},
		"it measures the built proxy from outside, as a client and an upstream see it; its " +
			"stores alone are measured by what it imports"},
	"internal/loadtest/conversations": {[]string{"cache", "cache/shared",
		"github.com/redis/go-redis/v9"},
		"stores are measured by the calls that the proxy makes, without the proxy"},
	"internal/patherror": {nil,
		"whoever opens a file uses it, so it must drag nothing in"},
	"internal/usage": {nil,
		"whoever reads what a command line says uses it, so it must drag nothing in"},
	"internal/buildinfo": {nil,
		"what a program was built from depends on nothing in it"},
	"internal/terminal": {[]string{"charm.land/lipgloss/v2", "golang.org/x/term"},
		"how something is drawn does not depend on what it is"},
	"internal/cputime": {nil,
		"benchmarks of every package measure with it, so it must drag none of them in"},
	"internal/testcert": {nil,
		"tests of every package make certificates with it, so it must drag none of them in"},
	"internal/config": {
		[]string{"cache", "cache/shared", "compactor/checkpoint", "compactor/plan",
			"compactor/prepare", "compactor/settings", "compactor/trigger", "model", "prices",
			"proxy", "proxy/auth", "proxy/cors", "proxy/format", "proxy/keepalive",
			"proxy/target", "redact", "internal/closest", "internal/fields",
			"internal/patherror"},
		"it is read before anything runs, and must not depend on how the parts are wired",
	},
	"internal/wire": {[]string{
		"cache", "cache/shared", "chat", "view", "compaction", "compactor",
		"compactor/checkpoint", "compactor/fold", "compactor/layout", "compactor/prepare",
		"compactor/report", "compactor/settings", "model", "probe", "proxy", "proxy/cors",
		"proxy/keepalive", "proxy/stored", "proxy/target", "redact", "responses", "summary",
		"tokenizer", "internal/buildinfo",
		"internal/config", "internal/metric", "internal/packed", "internal/patherror",
		"internal/series", "internal/terminal",
		"github.com/prometheus/client_golang", "github.com/maypok86/otter/v2",
	},
		"it knows every part and no command: whoever runs the proxy builds it here"},
	"internal/fields": {[]string{"internal/closest", "github.com/goccy/go-yaml"},
		"any struct is read in the same way, whatever its fields mean"},
	"internal/closest": {nil,
		"a misspelt name is found whatever it names"},
	"internal/health": {[]string{"internal/config", "internal/fields", "internal/usage"},
		"it asks a proxy from outside, so it must not know how one works"},
	"internal/demo": {
		[]string{"chat", "rawjson", "view", "tokenizer", "internal/config", "internal/terminal",
			"internal/fakeupstream", "internal/wire", "proxy/events"},
		"it shows the proxy that serve runs, and judges it by what arrives",
	},
	"internal/replayreport": {[]string{
		"chat", "view", "compaction", "compactor/plan", "compactor/report", "compactor/settings",
		"prices", "proxy", "replay", "tokenizer", "internal/closest", "internal/config",
		"internal/fields", "internal/patherror", "internal/terminal", "internal/fakeupstream",
		"internal/usage", "internal/wire",
	},
		"it replays through the compactor that serve runs, and measures with package replay alone"},
	"internal/e2e": {nil,
		"it holds tests alone"},
	"internal/e2e/formats": {nil,
		"it holds tests alone"},
	"internal/e2e/proxytest": {[]string{"internal/config", "internal/wire"},
		"it runs the proxy that serve runs, and asks it over HTTP alone"},
	"internal/e2e/fleet": {nil,
		"it holds tests alone"},
	"cmd/proxy": {[]string{
		"cache", "view", "prices", "replay", "replay/aschat", "tokenizer", "internal/buildinfo",
		"internal/closest", "internal/config", "internal/demo", "internal/fields",
		"internal/health", "internal/patherror",
		"internal/replayreport", "internal/terminal", "internal/usage",
		"internal/wire",
		"github.com/spf13/cobra", "github.com/spf13/pflag",
	},
		"it holds commands: they read a command line, call what does the work and print"},
}

func TestImportsKeepTheirDirection(t *testing.T) {
	for dir, imports := range importsByPackage(t, "../..") {
		rule, known := rules[dir]
		if !known {
			t.Errorf("package %s has no rule: say here what it may import, and why", dir)
			continue
		}
		for _, imported := range imports {
			if !slices.ContainsFunc(rule.allowed, func(a string) bool {
				return within(imported, a)
			}) {
				t.Errorf("%s imports %s, but %s", dir, imported, rule.reason)
			}
		}
	}
}

// within reports whether a rule allows a package: by its own name or that of its module.
func within(imported, allowed string) bool {
	return imported == allowed || strings.Contains(allowed, ".") &&
		strings.HasPrefix(imported, allowed+"/")
}

// importsByPackage returns the imports of each package below root outside the standard library, not
// counting tests; those of the project without the module's name.
func importsByPackage(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if found[dir] == nil {
			found[dir] = map[string]bool{}
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			own, isOwn := strings.CutPrefix(imported, "killick/")
			switch first, _, _ := strings.Cut(imported, "/"); {
			case isOwn:
				found[dir][own] = true
			case strings.Contains(first, "."):
				found[dir][imported] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < len(rules) {
		t.Errorf("%d packages found, want at least the %d that have rules", len(found), len(rules))
	}
	imports := map[string][]string{}
	for dir, set := range found {
		imports[dir] = slices.Sorted(maps.Keys(set))
	}
	return imports
}
