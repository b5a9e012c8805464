package load

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"killick/prices"
)

// A file of prices is read like the built-in table, and replaces it.
func TestPricesFile(t *testing.T) {
	file := write(t, string(prices.PublishedFile()))
	s, err := Config(Sources{Env: []string{"KILLICK_PRICES_FILE=" + file}})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.PricesFile.Table(), prices.Published()) {
		t.Error("the published table reads as another one")
	}
	file = write(t, `{"models": {"gpt-5.1": {"input": 7, "output": 9, "match": "prefix",
		"peak": {"hours": "22-6", "factor": 0.5}}}}`)
	s, err = Config(Sources{Env: []string{"KILLICK_PRICES_FILE=" + file,
		`KILLICK_MODELS={"gpt-5.1": {"prices": {"output": 8}}}`}})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := s.PricesOf("gpt-5.1"); !ok || m.Input != 7 || m.Cached != 7 || m.Output != 8 ||
		!m.Peak.Hours.Has(23) {
		t.Errorf("%+v %t", m, ok)
	}
	if m, ok := s.PricesOf("gpt-4o"); ok {
		t.Errorf("the file has no gpt-4o, but it is known as %+v", m)
	}
	var printed bytes.Buffer
	if err := Print(&printed, s); err != nil ||
		!strings.Contains(printed.String(), "prices_file: "+file) {
		t.Errorf("%v: %s", err, &printed)
	}
}

// Faults in a file of prices name its own lines, and come after those of the configuration.
func TestFaultsOfPrices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prices.yaml")
	for name, c := range map[string]struct{ text, want string }{
		"an unknown key": {"models:\n  a: {input: 1, cache: 2}",
			":2: models.a.cache: unknown key; did you mean models.a.cached?"},
		"a key of the configuration": {"prices_file: a.yaml\nmodels: {a: {input: 1}}",
			":1: prices_file: unknown key; the file takes as_of, sources, models"},
		"no number": {"models:\n  a:\n    input: cheap",
			`:3: models.a.input: "cheap" is not a number`},
		"no price": {"models:\n  a: {output: 2}",
			":2: models.a.input: is missing; write US dollars per million tokens"},
		"a discount": {"models:\n  gpt-5.1: {input: 1,\n    cached: 2, output: 3}",
			":3: models.gpt-5.1.cached: 2 is above the price of fresh input, which is 1"},
		"a rule": {"models:\n  a: {input: 1, match: suffix}",
			`:2: models.a.match: "suffix" is none of prefix, breakpoint, mark`},
		"hours": {"models:\n  a: {input: 1, peak: {hours: late, factor: 2}}",
			`:2: models.a.peak.hours: "late" is not a range of hours; write the hours of UTC`},
		"days": {"models:\n  a: {input: 1, peak: {days: weekdays, factor: 2}}",
			`:2: models.a.peak.days: "weekdays" is not a day; write mon,`},
		"a duration": {"models:\n  a: {input: 1, lifetime: 300}",
			`:2: models.a.lifetime: "300" is not a duration`},
		"a model twice": {"models:\n  gpt-5-1: {input: 1}\n  openai/GPT-5.1: {input: 2}",
			":3: models.openai/GPT-5.1: has the prices of the same models as models.gpt-5-1"},
		"a cliff": {"models:\n  a: {input: 1, cliff: {above: 272}}",
			":2: models.a.cliff.above: 272 is not a size of requests"},
		"a list": {"models: [a]", ":1: models: got a list, want a mapping"},
		"no mapping": {"- a",
			":1: got a list, want a mapping with the keys as_of, sources, models"},
		"no YAML": {"models:\n  a: {input: 1", ":2: not YAML"},
		"Latin-1": {"as_of: 2026-01-01\nsources: [caf\xe9]",
			":2: is not UTF-8 text; save it as UTF-8"},
		"nothing": {"as_of: 2026-01-01", ": models: is missing or empty"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Config(Sources{File: write(t, "prices_file: "+file+"\nlisten: 1\n")})
		if err == nil {
			t.Errorf("%s: no fault", name)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) < 2 || !strings.Contains(lines[0], ":2: listen: ") ||
			!strings.Contains(err.Error(), "\n"+file+c.want) {
			t.Errorf("%s:\n%v\nwant a line with %s%s", name, err, file, c.want)
		}
	}
	_, err := Config(Sources{File: write(t, "\nprices_file: /absent/prices.yaml\n")})
	if err == nil || !strings.Contains(err.Error(),
		":2: prices_file: its file cannot be read: /absent/prices.yaml: no such file") {
		t.Errorf("an absent file: %v", err)
	}
	huge := write(t, strings.Repeat("#", maxFile+1))
	_, err = Config(Sources{File: write(t, "prices_file: "+huge)})
	const want = "has more than 16MiB, so it is not a file of prices"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a huge file: %v", err)
	}
	_, err = Config(Sources{File: write(t, "models:\n  a: {cache_ttl: 5m, "+
		"prices: {lifetime: 1h}}\n  b: {cache_ttl: -5m}\n")})
	for _, want := range []string{
		":2: models.a.prices.lifetime: is also set by models.a.cache_ttl; write one of them",
		":3: models.b.cache_ttl: -5m0s is negative; write a duration such as 5m",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
