package canonical

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"killick/rawjson"
)

// A value is read once, however deep it is nested. Reading it again at each level would take 10 s.
func TestDeepValue(t *testing.T) {
	const levels, size = 9000, 2 << 20
	text := strings.Repeat("x", size)
	deep := strings.Repeat(`{"a":[`, levels/2) + `"` + text + `"` + strings.Repeat(`]}`, levels/2)
	started := time.Now()
	canonical := AppendValue(nil, rawjson.Value(deep))
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("%d levels took %v", levels, took)
	}
	if !bytes.Contains(canonical, []byte(text)) {
		t.Errorf("the innermost text is missing")
	}
}

// Values have the same canonical bytes if and only if they mean the same.
func TestAppendValue(t *testing.T) {
	for _, group := range [][]string{
		{`{"a":[1,"x",{"b":true}]}`, " {\"a\" : [ 1 , \"\\u0078\" , { \"b\":true } ] }"[1:],
			`{"a":[1,"x",{"b":true,"c":null}],"cache_control":{"type":"ephemeral"}}`},
		{`{"a":[1,"x"],"b":true}`}, {`[{"a":1}]`}, {`[{"a":1},null]`}, {`[]`}, {`[[]]`}, {`{}`},
		{`[{}]`}, {`"x"`}, {`null`}, {`["x"]`, `[ "x" ]`}, {``},
	} {
		for _, v := range group {
			for _, other := range []string{group[0], `[0]`} {
				same := bytes.Equal(AppendValue(nil, rawjson.Value(v)),
					AppendValue(nil, rawjson.Value(other)))
				if same != (other == group[0]) {
					t.Errorf("%s and %s: the same is %v", v, other, same)
				}
			}
		}
	}
}
