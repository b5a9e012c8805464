package rawjson

import (
	"bytes"
	"testing"
)

// Members beside a known value are found as usual, and the known value is not scanned.
func TestGetSkipping(t *testing.T) {
	const object = `{"role":"tool","content":"a \"b\" {","is\u005ferror":true,"content2":null,` +
		`"role":1}`
	v := Value(object)
	start := bytes.Index(v, []byte(`"a \"`))
	known := SpanOf(start, bytes.Index(v, []byte(`,"is`)))
	for _, key := range []string{"role", "content", "is_error", "content2", "none"} {
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
