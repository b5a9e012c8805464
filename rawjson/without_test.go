package rawjson

import "testing"

func TestWithout(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                             `{}`,
		`{"b":1}`:                        `{"b":1}`,
		`{"a":1}`:                        `{}`,
		`{ "a" : 1 }`:                    `{ }`,
		`{"a":1,"b":2.50}`:               `{"b":2.50}`,
		`{"b":2.50 , "a":1}`:             `{"b":2.50}`,
		`{"b":1, "a":{"a":1}, "c":3}`:    `{"b":1,"c":3}`,
		`{"a":1,"a":2,"b":3,"\u0061":4}`: `{"b":3}`,
		`{"b":{"a":1}}`:                  `{"b":{"a":1}}`,
		`[1]`:                            `[1]`,
		`"a"`:                            `"a"`,
	} {
		if got := Value(in).Without("a"); string(got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
