package rawjson

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestWithMembers(t *testing.T) {
	for _, test := range []struct {
		name, object string
		set          map[string]Value
		want         string
	}{
		{"nothing", ` { "a" : 2.50 , "b":"\ud83d" } `, nil, ` { "a" : 2.50 , "b":"\ud83d" } `},
		{"replaced", `{"a": 1, "stream" : true ,"c":3}`, map[string]Value{"stream": Value("false")},
			`{"a": 1, "stream" : false ,"c":3}`},
		{"the first left out", `{ "n":2, "b":1}`, map[string]Value{"n": nil}, `{ "b":1}`},
		{"the last left out", `{"b":1 , "n":2 }`, map[string]Value{"n": nil}, `{"b":1 }`},
		{"all left out", `{"n":2}`, map[string]Value{"n": nil}, `{}`},
		{"two in a row left out", `{"a":1,"n":2,"stop":[","],"b":2}`,
			map[string]Value{"n": nil, "stop": nil}, `{"a":1,"b":2}`},
		{"added", `{"a":1}`, map[string]Value{"c": Value("3"), "b": Value("2")},
			`{"a":1,"b":2,"c":3}`},
		{"added to nothing", ` {} `, map[string]Value{"b": Value("2")}, ` {"b":2} `},
		{"given twice", `{"n":1,"a":0,"n":2}`, map[string]Value{"n": Value("3")}, `{"n":3,"a":0}`},
		{"spelled with an escape", `{"\u006e":1,"a":0}`, map[string]Value{"n": nil}, `{"a":0}`},
		{"an inner member of that name", `{"a":{"n":1},"n":1}`, map[string]Value{"n": nil},
			`{"a":{"n":1}}`},
		{"no object", `[1]`, map[string]Value{"n": Value("1")}, `[1]`},
		{"no JSON", `{"a":`, map[string]Value{"n": Value("1")}, `{"a":`},
		{"empty", ``, map[string]Value{"n": Value("1")}, ``},
	} {
		if got := WithMembers([]byte(test.object), test.set); string(got) != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func FuzzWithMembers(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":[2,{"a":3}]}`, ` { "b" : null , "a":"\ud83d" } `,
		`{}`, `{"a":1,"a":2}`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		before := bytes.Clone(object)
		got := WithMembers(object, map[string]Value{"a": nil, "b": Value(`"new"`)})
		if !bytes.Equal(object, before) {
			t.Fatalf("the object itself was changed: %q, was %q", object, before)
		}
		var was map[string]any
		if json.Unmarshal(object, &was) != nil || was == nil {
			return
		}
		var is map[string]any
		if err := json.Unmarshal(got, &is); err != nil {
			t.Fatalf("%q became %q: %v", object, got, err)
		}
		delete(was, "a")
		was["b"] = "new"
		if len(is) != len(was) || is["b"] != "new" {
			t.Fatalf("%q became %q", object, got)
		}
	})
}
