package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// Members beside a known value are found as usual, and the known value is not scanned.
func TestGetSkipping(t *testing.T) {
	const object = `{"role":"tool","content":"a \"b\" {","is\u005ferror":true,"content2":null,` +
		`"role":1}`
	v := Value(object)
	start := bytes.Index(v, []byte(`"a \"`))
	known := SpanOf(start, bytes.Index(v, []byte(`,"is`)))
	keys := []string{"role", "content", "is_error", "content2", "none"}
	for i, each := range v.GetEach(keys...) {
		if want := v.Get(keys[i]); !bytes.Equal(each, want) || each.Kind() != want.Kind() {
			t.Errorf("%s among all: %q, want %q", keys[i], each, want)
		}
	}
	for _, key := range keys {
		for _, at := range []Span{known, {}} {
			if got, want := v.GetSkipping(key, at), v.Get(key); !bytes.Equal(got, want) ||
				got.Kind() != want.Kind() {
				t.Errorf("%s beside %v: %q, want %q", key, at, got, want)
			}
		}
	}
	broken := Value(bytes.Replace(v, []byte(`\"`), []byte("\n\""), 1)) // within the known value
	if got := broken.GetSkipping("is_error", known); string(got) != "true" {
		t.Errorf("after what is not scanned: %q", got)
	}
	if got := Value(`[1]`).GetSkipping("role", Span{}); got != nil {
		t.Errorf("a member of an array: %q", got)
	}
}

// What an array holds is what encoding/json finds in it, and only an array has elements.
func TestElements(t *testing.T) {
	for _, array := range []string{
		`[]`, `[ ]`, `[1]`, ` [ 1 , "a]" ,[[2]], {"b":[3]} , null ]`,
		`{"a":[1]}`, `"[1]"`, `1`, ``,
		`[1`, `[1,`, `[1 2]`, `[1,}`, `[`,
	} {
		var want []json.RawMessage
		_ = json.Unmarshal([]byte(array), &want)
		var got []string
		for v := range Value(strings.TrimSpace(array)).Elements() {
			got = append(got, string(v))
		}
		whole := json.Valid([]byte(array))
		for i, v := range got {
			if whole && (i >= len(want) || v != string(want[i])) || !json.Valid([]byte(v)) {
				t.Errorf("%s: element %d is %q", array, i, v)
			}
		}
		if whole && len(got) != len(want) {
			t.Errorf("%s: %d elements, want %d", array, len(got), len(want))
		}
	}
	for v := range Value(`[1,2,3]`).Elements() {
		if string(v) != "1" {
			t.Errorf("went on to %s", v)
		}
		break
	}
}

// A walk reports why it ended: what is broken, or what it was told.
func TestWalkArrayFails(t *testing.T) {
	stop := errors.New("stop")
	for array, want := range map[string]error{
		`[1, 2]`: nil, `[]`: nil, `[3, 4]`: stop,
		`[1`: ErrSyntax, `[1,`: ErrSyntax, `[1 2]`: ErrSyntax, `[1,]`: ErrSyntax,
	} {
		end, err := WalkArray([]byte(array), 0, func(at int) (int, error) {
			if at < len(array) && array[at] == '3' {
				return at, stop
			}
			return Skip([]byte(array), at)
		})
		if !errors.Is(err, want) || err == nil && end != len(array) {
			t.Errorf("%s: ends at %d, %v; want %v", array, end, err, want)
		}
	}
}

func TestInt(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "17": 17, "-1": -1, "1.5": -1, `"1"`: -1,
		"1e3": -1, "true": -1, "": -1, "99999999999999999999": -1} {
		if n, ok := Value(text).Int(); ok != (want >= 0) || ok && n != want {
			t.Errorf("%s: %d, %t", text, n, ok)
		}
	}
}

func TestReplace(t *testing.T) {
	b := []byte(`{"a":1,"b":2}`)
	if got := Replace(b, SpanOf(5, 6), []byte(`"longer"`)); string(got) != `{"a":"longer","b":2}` {
		t.Errorf("got %s", got)
	}
	if got := Replace(b, Span{}, []byte("x")); string(got) != string(b) {
		t.Errorf("without a span: %s", got)
	}
	if string(b) != `{"a":1,"b":2}` {
		t.Errorf("the original is now %s", b)
	}
}

func TestWalkRun(t *testing.T) {
	stop := errors.New("stop")
	for run, want := range map[string]error{
		`1`: nil, `1 , {"a":2} `: nil, `1,3,x`: stop,
		``: ErrSyntax, `1,`: ErrSyntax, `1 2`: ErrSyntax, `1]`: ErrSyntax, `,1`: ErrSyntax,
	} {
		err := WalkRun([]byte(run), func(at int) (int, error) {
			if at < len(run) && run[at] == '3' {
				return at, stop
			}
			return Skip([]byte(run), at)
		})
		if !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", run, err, want)
		}
	}
}
