package rawjson

import (
	"encoding/json"
	"strings"
	"testing"
)

func FuzzScannerAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`{}`, `[1,-0.5e+3,"a\u00e9\n",true,false,null]`, `01`, `"\x"`,
		`{"a":}`, `[1,]`, ` 1 `, `-`, `{"a" "b"}`, "\"\x1f\"", `[[[]],{"":{}}]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		end, err := Skip(b, Space(b, 0))
		got := err == nil && Space(b, end) == len(b)
		if want := json.Valid(b); got != want {
			t.Fatalf("%q: valid %t, encoding/json says %t", b, got, want)
		}
	})
}

func FuzzTextAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`"a"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d\u0041"`,
		`"\\\"\/\b\f\n\r\t"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want string
		if json.Unmarshal([]byte(s), &want) != nil || !strings.HasPrefix(s, `"`) ||
			!strings.HasSuffix(s, `"`) {
			return
		}
		got := strings.ToValidUTF8(Value(s).Text(), "\uFFFD")
		if got != strings.ToValidUTF8(want, "\uFFFD") && !strings.Contains(want, "\uFFFD") {
			t.Fatalf("%q: %q, want %q", s, got, want)
		}
		back := Value(AppendQuoted(nil, want))
		if back.Text() != want {
			t.Fatalf("%q quoted and read: %q", want, back.Text())
		}
	})
}

func TestCutEscapedNeverCutsACharacter(t *testing.T) {
	characters := []string{"a", "b", `\n`, `\ud83d\ude00`, "é", `\u00e9`, "z"}
	body := []byte(strings.Join(characters, ""))
	for n := range len(body) + 2 {
		head, tail := CutEscaped(body, n)
		if len(head) > n || string(head)+string(tail) != string(body) {
			t.Fatalf("cut at %d: %q %q", n, head, tail)
		}
		most := 0
		for _, c := range characters {
			if most+len(c) > n {
				break
			}
			most += len(c)
		}
		if len(head) != most {
			t.Errorf("cut at %d: %q has %d bytes, want %d", n, head, len(head), most)
		}
		text := Value(`"`+string(head)+`"`).Text() + Value(`"`+string(tail)+`"`).Text()
		if text != "ab\n😀éé"+"z" {
			t.Errorf("cut at %d: %q %q reads %q", n, head, tail, text)
		}
	}
}
