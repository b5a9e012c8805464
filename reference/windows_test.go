package reference

import (
	"slices"
	"strings"
	"testing"
)

func TestPathsOfWindows(t *testing.T) {
	for text, want := range map[string][]string{
		`Edit C:\Src\Billing\Invoice.cs, please.`: {`C:\Src\Billing\Invoice.cs 4`},
		`"d:\repo\new\table_1.ts"`:                {`d:\repo\new\table_1.ts 4`},
		`C:\a\b.go:42:7: undefined`:               {`C:\a\b.go 4`},
		`(C:\src\x-y\@scope\z.tsx)`:               {`C:\src\x-y\@scope\z.tsx 4`},
		`TARGET=C:\src\a.go`:                      {`C:\src\a.go 4`},
		`cd C:\src\web\ now`:                      {`C:\src\web 4`},
		`C:\a\one.go C:\b\two.go`:                 {`C:\a\one.go 4`, `C:\b\two.go 4`},
		`del C:\Src\*.cs`:                         nil, // nobody wrote C:\Src
		`C:\Program Files\Git\bin\bash.exe`:       nil, // nor C:\Program
		`{"path":"C:\\Src\\a.go"}`:                nil,
		`"%d:\n%s"`:                               nil, `a:\nThen`: nil, `C:\a.go`: {`C:\a.go 4`},
		`is it C:\ or not`:                             nil,
		`HKLM:\Software\Acme`:                          nil,
		`note:\tmy_name`:                               nil,
		`C:\Документы\façade.ts:7`:                     {`C:\Документы\façade.ts 4`},
		`C:\资料\a.ts`:                                   nil,
		`C:\` + strings.Repeat(`long_name\`, 40) + "x": nil,
	} {
		if got := wordsOf(text); !slices.Equal(got, want) {
			t.Errorf("%.60s: got %q, want %q", text, got, want)
		}
	}
}

func TestSeparators(t *testing.T) {
	for path, want := range map[string]struct {
		absolute  bool
		separator byte
		base      string
	}{
		"": {false, '/', ""}, "/": {true, '/', ""}, "/a/b.go": {true, '/', "b.go"},
		"a/b.go": {false, '/', "b.go"}, `C:\a\b.go`: {true, '\\', "b.go"},
		"c:/a/b.go": {true, '/', "b.go"}, `a\b.go`: {false, '\\', "b.go"},
		`C:a.go`: {false, '/', "C:a.go"}, `1:\a`: {false, '\\', "a"}, `C:\`: {true, '\\', ""},
	} {
		if a, s, b := Absolute(path), Separator(path), base(path); a != want.absolute ||
			s != want.separator || b != want.base {
			t.Errorf("%q: absolute %v, separator %q, base %q", path, a, s, b)
		}
	}
}
