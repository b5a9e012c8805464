package fields

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

type server struct {
	Name string   `yaml:"name"`
	Tags []string `yaml:"tags"`
}

type sample struct {
	Listen  string            `yaml:"listen"`
	On      bool              `yaml:"on"`
	Count   int               `yaml:"count"`
	Share   float64           `yaml:"share"`
	Wait    time.Duration     `yaml:"wait"`
	Tags    []string          `yaml:"tags"`
	Nested  server            `yaml:"nested"`
	Servers []server          `yaml:"servers"`
	Named   map[string]server `yaml:"named"`
}

var sampleSchema = &Schema{Keys: KeysOf[sample](), Prefix: "APP_",
	Renamed: map[string]string{"tally": "count"}, Removed: map[string]string{"old": "is gone"}}

// Each kind of field is read from a file, and the place of each value is known.
func TestKindsOfFields(t *testing.T) {
	var s sample
	r := NewReader(sampleSchema, &s)
	r.File("f", []byte("\ufefflisten: :1\non: yes\ncount: 1_000\nshare: 0.5\nwait: 2m\n"+
		"tags: [a, b]\nnested: {name: n}\nservers:\n  - {name: x, tags: one}\n"+
		"named:\n  \"y z\": {name: y}\n"))
	want := sample{Listen: ":1", On: true, Count: 1000, Share: 0.5, Wait: 2 * time.Minute,
		Tags: []string{"a", "b"}, Nested: server{Name: "n"},
		Servers: []server{{Name: "x", Tags: []string{"one"}}},
		Named:   map[string]server{"y z": {Name: "y"}}}
	if !reflect.DeepEqual(s, want) || r.Faults != nil {
		t.Errorf("got %+v, %v", s, r.Faults)
	}
	for path, line := range map[string]int{"on": 2, "nested": 7, "nested.name": 7,
		"servers[0].name": 9, "servers[0]": 9, "named.y z.tags": 11, "absent": 0} {
		if got := r.OriginOf(path).Line; got != line {
			t.Errorf("%s is of line %d, want %d", path, got, line)
		}
	}
}

// All errors are reported at once, with their lines.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"count: x\nwait: 5\n": "f:1: count: \"x\" is not a whole number; write one such as 2000\n" +
			"f:2: wait: \"5\" is not a duration; write a number with its unit, such as 15s, 20m " +
			"or 168h; for seconds write 5s",
		"lisen: a":            "f:1: lisen: unknown key; did you mean listen?",
		"name: a":             "f:1: name: unknown key; did you mean nested.name?",
		"nested-name: a":      "f:1: nested-name: unknown key; nest it instead: nested: {name:",
		"nested: {colour: a}": "f:1: nested.colour: unknown key; nested takes name, tags",
		"old: 1":              "f:1: old: is gone",
		"servers: {name: a}": "f:1: servers: got a mapping, want a list of mappings with " +
			"the keys name, tags",
		"listen: [a]":            "f:1: listen: got a list, want a single value",
		"tags: [[a]]":            "f:1: tags[0]: got a list, want a single value",
		"a: &x 1\nlisten: *x":    "f:1: a: unknown key; the file takes ",
		"listen: &x 1":           "f:1: listen: anchors and aliases are not supported",
		"listen: a\n---\non: 1":  "f:3: a second document starts here",
		"listen: a\nlisten: b":   `f:2: "listen" is already in line 1; remove one of the two`,
		"listen: a\n\ton: yes":   "f:2: not YAML",
		"- a":                    "f:1: got a list, want a mapping with the keys listen, on,",
		"%YAML 1.2\n---\nonn: 1": "f:3: onn: unknown key; did you mean on?",
	} {
		var s sample
		r := NewReader(sampleSchema, &s)
		r.File("f", []byte(text))
		if got := r.Faults.Error(); !strings.HasPrefix(got, want) {
			t.Errorf("%q:\n%s\nwant\n%s", text, got, want)
		}
	}
}

// A variable takes precedence over the file, an empty one counts as not set, and an unknown one is
// a warning.
func TestVariables(t *testing.T) {
	var s sample
	r := NewReader(sampleSchema, &s)
	r.File("f", []byte("listen: a\ncount: 1"))
	r.Env([]string{"APP_LISTEN=", "APP_TALLY=2", "APP_TAGS=x, y", "APP_NESTED_NAME=n",
		`APP_NAMED={"m": {"name": "z"}}`, "APP_LISTN=b", "APP_OLD=1", "APP_PORT=tcp://10.0.0.1:80",
		"APP_SERVICE_HOST=10.0.0.1", "LISTEN=c"})
	want := sample{Listen: "a", Count: 2, Tags: []string{"x", "y"}, Nested: server{Name: "n"},
		Named: map[string]server{"m": {Name: "z"}}}
	if !reflect.DeepEqual(s, want) || r.Faults != nil {
		t.Errorf("got %+v, %v", s, r.Faults)
	}
	if got := r.Origins["count"].Where; got != "APP_TALLY" {
		t.Errorf("count was set by %s", got)
	}
	warnings := "[APP_TALLY is now called APP_COUNT " +
		"APP_LISTN: no such setting; ignored, did you mean APP_LISTEN? " +
		"APP_OLD: no such setting; it is gone]"
	if got := fmt.Sprint(r.Warnings); got != warnings {
		t.Errorf("got the warnings\n%s, want\n%s", got, warnings)
	}
}

// A key has one error at most, and no warning then; errors of the file come first, in its order.
func TestOneFaultForAKey(t *testing.T) {
	var s sample
	r := NewReader(sampleSchema, &s)
	r.Set("count", Origin{Where: "--count"}, "many")
	r.File("f", []byte("on: perhaps\nlisten: a"))
	r.Invalid("count", "is too small")
	r.Warn("on", "is on")
	r.Warn("listen", "is open to all")
	r.Invalid("listen", "is %s", "taken")
	r.Faults.Sort()
	want := `f:1: on: "perhaps" is not a boolean; write true or false
f:2: listen: is taken
--count: count: "many" is not a whole number; write one such as 2000`
	if got := r.Faults.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := fmt.Sprint(r.Warnings); got != "[f:2: listen: is open to all]" {
		t.Errorf("got the warnings %s", got)
	}
}
