package load

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"killick/internal/testcert"
)

const twoUpstreams = `upstreams:
  - name: anthropic
    base_url: https://api.anthropic.com/v1
    formats: [messages]
    models: ["claude-*"]
    key_header: x-api-key
    api_key: env:ANTHROPIC
  - name: local
    base_url: http://127.0.0.1:11434/v1
    strict_turns: true
`

func TestUpstreamsAreRead(t *testing.T) {
	file := write(t, twoUpstreams+`auth:
  keys:
    team: {key: a-key-that-is-long-enough, upstream_keys: {anthropic: "env:TEAM"}}
`)
	s, err := Config(Sources{File: file, Env: []string{"ANTHROPIC=hunter2-a", "TEAM=hunter2-b"}})
	if err != nil {
		t.Fatal(err)
	}
	all := s.AllUpstreams()
	if len(all) != 2 || all[0].Name != "anthropic" || all[0].APIKey != "hunter2-a" ||
		all[0].KeyHeader != "x-api-key" || !all[1].StrictTurns || !all[1].Takes.Any() ||
		len(all[0].Takes.Formats) != 1 || all[0].Takes.Models[0] != "claude-*" {
		t.Errorf("got %+v", all)
	}
	keys := s.Auth.InboundKeys()
	if got := keys[0].Upstreams["anthropic"]; got != "hunter2-b" {
		t.Errorf("the inbound key is replaced by %q", got)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0],
		"has no key in upstream_keys for local") {
		t.Errorf("warnings: %q", s.Warnings)
	}
	var printed bytes.Buffer
	if err := Print(&printed, s); err != nil || strings.Contains(printed.String(), "hunter2") {
		t.Fatalf("%v: %s", err, &printed)
	}
	text := printed.String()
	for _, want := range []string{"  - name: anthropic ", ":2\n",
		"    formats: [messages] ", `api_key: "********"`, "# anthropic: formats messages; " +
			"models claude-*.\n", "# local: else all.\n", "  - name: local "} {
		if !strings.Contains(text, want) {
			t.Errorf("printed without %q:\n%s", want, text)
		}
	}
	body, _, _ := strings.Cut(text, "\n# ")
	again, err := Config(Sources{File: write(t, strings.ReplaceAll(body, "********",
		"x-for-the-secret-that-it-was"))})
	if err != nil {
		t.Fatalf("what is printed cannot be read: %v", err)
	}
	for i := range again.Upstreams {
		again.Upstreams[i].APIKey = s.Upstreams[i].APIKey
	}
	if !reflect.DeepEqual(again.Upstreams, s.Upstreams) {
		t.Errorf("printed and read again: %+v", again.Upstreams)
	}
}

func TestUpstreamsFromAVariable(t *testing.T) {
	s, err := Config(Sources{Env: []string{
		`KILLICK_UPSTREAMS=[{"name": "a", "base_url": "http://a.example/v1", "models": "gpt-*"}]`}})
	if err != nil || len(s.Upstreams) != 1 || s.Upstreams[0].Models[0] != "gpt-*" {
		t.Fatalf("%v, %+v", err, s)
	}
	if got := s.UpstreamNames(); got != "a" {
		t.Errorf("named %q", got)
	}
	_, err = Config(Sources{Env: []string{`KILLICK_UPSTREAMS=[{"nam": "a"}]`}})
	if err == nil || !strings.Contains(err.Error(),
		"KILLICK_UPSTREAMS: upstreams[0].nam: unknown key; did you mean upstreams[0].name?") {
		t.Errorf("got %v", err)
	}
}

// Every fault names its line, the problem and a remedy.
// Anthropic's API refuses a key as a bearer token.
func TestAnthropicsKeyAsABearerToken(t *testing.T) {
	const one = "upstream: {base_url: 'https://api.anthropic.com/v1', api_key: hunter2"
	const key = "auth: {keys: {t: {key: a-key-that-is-long-enough, upstream_key: k}}}\n"
	for yaml, want := range map[string]int{
		one + "}": 1, one + ", key_header: as_sent}": 1, one + ", key_header: x-api-key}": 0,
		key + one + "}": 0, strings.Replace(one, "anthropic.com", "example.com", 1) + "}": 0,
		strings.Replace(one, ", api_key: hunter2", "", 1) + "}":                  0,
		"upstreams: [{name: a, " + strings.TrimPrefix(one, "upstream: {") + "}]": 1,
	} {
		s, err := Config(Sources{File: write(t, yaml+"\n")})
		if err != nil {
			t.Fatal(yaml, err)
		}
		got := 0
		for _, warning := range s.Warnings {
			if strings.Contains(warning, "write key_header: x-api-key") {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: warnings %q", yaml, s.Warnings)
		}
	}
}

func TestFaultsOfUpstreams(t *testing.T) {
	pem := testcert.New(t, "one")
	const a = "{name: a, base_url: 'http://a.example/v1'}"
	for name, test := range map[string]struct{ yaml, want string }{
		"no list": {"upstreams: {name: a}",
			":1: upstreams: got a mapping, want a list of mappings"},
		"a word": {"upstreams: a",
			":1: upstreams: got a single value, want a list of mappings"},
		"an empty one": {"upstreams:\n  -", "upstreams[0].name: is empty; write a name"},
		"unknown key": {"upstreams:\n  - name: a\n    base_ulr: x",
			":3: upstreams[0].base_ulr: unknown key; did you mean upstreams[0].base_url?"},
		"no name": {"upstreams: [{base_url: 'http://a/v1'}]", "upstreams[0].name: is empty"},
		"a bad name": {"upstreams: [{name: 'a b', base_url: 'http://a/v1'}]",
			`upstreams[0].name: "a b" is not a valid name for an upstream`},
		"the same name": {"upstreams:\n  - {name: a, base_url: 'http://a/v1', formats: chat}\n" +
			"  - " + a,
			`:3: upstreams[1].name: "a" is the name of upstreams[0] too`},
		"no base": {"upstreams: [{name: a}]",
			"upstreams[0].base_url: is empty; write the base URL of the API"},
		"credentials in the base": {"upstreams: [{name: a, base_url: 'http://u:hunter2@a/v1'}]",
			"upstreams[0].base_url: contains credentials; move them to upstreams[0].api_key"},
		"a port of none": {"upstreams: [{name: a, base_url: 'http://a:99999/v1'}]",
			"upstreams[0].base_url: has an invalid port; write a number from 1 to 65535"},
		"a space behind it": {"upstream: {base_url: 'https://api.openai.com/v1 '}",
			"upstream.base_url: contains a space; delete it"},
		"port 0": {"upstream: {base_url: 'http://a:0/v1'}",
			"upstream.base_url: has an invalid port"},
		"a proxy's port": {"upstream: {proxy: 'http://joe:hunter2@a:70000'}",
			"upstream.proxy: has an invalid port"},
		"itself": {"upstreams: [{name: a, base_url: 'http://127.0.0.1:8080/v1'}]",
			"is where the proxy itself listens"},
		"a format of none": {"upstreams: [{name: a, base_url: 'http://a/v1', formats: [mesages]}]",
			`upstreams[0].formats: "mesages" is none of chat, messages, responses, gemini, ` +
				`converse, ollama, other; did you mean messages?`},
		"a path of none": {"upstreams: [{name: a, base_url: 'http://a/v1', paths: [v1beta]}]",
			`upstreams[0].paths: "v1beta" is not the beginning of a path`},
		"a pattern of a path": {"upstreams: [{name: a, base_url: 'http://a/v1', paths: ['/v1/*']}]",
			`upstreams[0].paths: "/v1/*" holds "*"`},
		"no pattern": {"upstreams: [{name: a, base_url: 'http://a/v1', models: ['gpt[']}]",
			`upstreams[0].models: "gpt[" is not a pattern`},
		"a header of none": {"upstreams: [{name: a, base_url: 'http://a/v1', " +
			"key_header: x-apikey}]",
			`upstreams[0].key_header: "x-apikey" is none of authorization, x-api-key, ` +
				`x-goog-api-key, api-key, as_sent; did you mean x-api-key?`},
		"a key that no header takes": {"upstreams: [{name: a, base_url: 'http://a/v1', " +
			"api_key: 'Bearer hunter2'}]", `upstreams[0].api_key: begins with "Bearer"`},
		"a variable": {"upstreams: [{name: a, base_url: 'http://a/v1', api_key: '${KEY}'}]",
			"upstreams[0].api_key: variables are not expanded in the file; write env:NAME"},
		"no such variable": {"upstreams: [{name: a, base_url: 'http://a/v1', api_key: 'env:NO'}]",
			`upstreams[0].api_key: the variable "NO" is not set`},
		"a certificate alone": {"upstreams: [{name: a, base_url: 'https://a/v1', cert_file: " +
			pem.Cert + "}]", "upstreams[0].cert_file: needs the certificate's key; " +
			"write upstreams[0].key_file"},
		"out of reach": {"upstreams:\n  - " + a + "\n  - {name: b, base_url: 'http://b/v1'}",
			":3: upstreams[1]: no request reaches it: upstreams[0], before it, matches everything"},
		"the same matches": {"upstreams:\n  - {name: a, base_url: 'http://a/v1', formats: chat}\n" +
			"  - {name: b, base_url: 'http://b/v1', formats: chat}",
			":3: upstreams[1]: no request reaches it: upstreams[0], before it, matches all that "},
		"both forms": {"upstream: {api_key: k}\nupstreams: [" + a + "]",
			":1: upstream.api_key: upstreams is set too"},
		"a key for nobody": {"upstreams: [" + a + "]\nauth: {keys: {t: {key: " +
			"a-key-that-is-long-enough, upstream_key: k}}}",
			"auth.keys.t.upstream_key: with upstreams, say which one it is for"},
		"a key for no upstream": {"upstreams: [" + a + "]\nauth: {keys: {t: {key: " +
			"a-key-that-is-long-enough, upstream_keys: {b: k}}}}",
			"auth.keys.t.upstream_keys.b: is not the name of an upstream; did you mean a?"},
		"keys for the only one": {"auth: {keys: {t: {key: a-key-that-is-long-enough, " +
			"upstream_keys: {b: k}}}}", "auth.keys.t.upstream_keys.b: there is only one upstream"},
		"a model nowhere": {"upstreams: [" + a + "]\ncompaction: {summarizer: model}\n" +
			"model: {name: m}", ":3: model.name: with upstreams, the model needs an address"},
	} {
		_, err := Config(Sources{File: write(t, test.yaml+"\n")})
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got\n%v\nwant %q", name, err, test.want)
		}
	}
	// A value equal to the default does not count as set.
	if _, err := Config(Sources{File: write(t, "upstream: {base_url: https://api.openai.com/v1}\n"+
		"upstreams: ["+a+"]\n")}); err != nil {
		t.Errorf("a default beside upstreams: %v", err)
	}
	s, err := Config(Sources{File: write(t, "listen: :1\nupstreams: [{name: a, base_url: "+
		"'http://a/v1', api_key: k}]\n")})
	if err != nil || len(s.Warnings) != 1 ||
		!strings.Contains(s.Warnings[0], "spends upstreams[0].api_key") {
		t.Errorf("an open key: %v, %+v", err, s)
	}
}
