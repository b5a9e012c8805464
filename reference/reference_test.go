package reference

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// wordsOf returns the references of a text with their kinds.
func wordsOf(text string) (words []string) {
	Each(text, func(word string, kind Kind) { words = append(words, fmt.Sprint(word, " ", kind)) })
	return words
}

func TestEach(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                  nil,
		"Nothing but plain words here.":     nil,
		"see https://example.com/a?b=c.":    {"https://example.com/a?b=c 5"},
		"in src/auth/login.go, and main.go": {"src/auth/login.go 4", "main.go 4"},
		"/etc/hosts and ~/notes":            {"/etc/hosts 4", "~/notes 4"},
		"./run.sh ../up/x.go":               {"./run.sh 4", "../up/x.go 4"},
		"VerifyToken and max_retries":       {"VerifyToken 2", "max_retries 2"},
		"commit 4f9c2e1a":                   {"4f9c2e1a 3"},
		"order 48151623":                    {"48151623 1"},
		"Sentence starts and RESTAPI ends.": nil,
		"a.b x.1":                           nil,
		strings.Repeat("x_y", maxLen):       nil, // data
		"${WORK_DIR:-/var/lib/x}":           {"WORK_DIR 2", "/var/lib/x 4"},
		"${SOURCE_URL:=https://a.io/b.git}": {"SOURCE_URL 2", "https://a.io/b.git 5"},
		"SOURCE_URL=https://a.io/b.git?c=d": {"SOURCE_URL 2", "https://a.io/b.git?c=d 5"},
		"BIN_DIR:?no such":                  {"BIN_DIR 2"},
		"go test ./... //ios/App/...":       {"//ios/App 4"},
		"origin/main...origin/next":         {"origin/main...origin/next 4"},
		"src/auth.go:42:readToken(x)":       {"src/auth.go 4", "readToken 2"},
		"src/auth.go:42:7: undefined":       {"src/auth.go 4"},
		"src/auth.go:42:func":               {"src/auth.go 4"},
		`- button "Save" [ref=f43e10]:`:     nil,
		"[ref=f43e10 set_x], ref=f43e11":    {"f43e10 3", "set_x 2", "f43e11 3"},
		"[ref=refs/heads/fix_login]":        {"refs/heads/fix_login 4"},
		"[ref=f43a10b9]":                    {"f43a10b9 3"},
		"host.example:80:some_name":         {"host.example:80:some_name 2"},
	} {
		if got := wordsOf(text); !slices.Equal(got, want) {
			t.Errorf("%.60q: got %q, want %q", text, got, want)
		}
	}
}

// Amounts and times are not names, nor are words that begin with the letter of an escape sequence.
func TestAmountsAreNotNames(t *testing.T) {
	for kind, words := range map[string]string{
		"durations": "1m30s 120ms 0.01s 0.00s 12m0.5s 1h2m3s 350us 2.5s 15min 90sec",
		"sizes":     "4.2KB 512MB 10GiB 1920x1080 64KiB 1.5GB 100kB",
		"times":     "12:30:45 10:30 2026-05-14T10:30:12Z 2026-05-14 10:30:12.123 00:0023",
		"amounts":   "7443 1000 99.95 100% 3.14 1,000 -17 +4",
		"versions":  "",
		"bytes":     "TZif2..........O ELF....x_y....Abc e..eB.e..Ad.c fe..d/Ab..x9",
		"escapes":   `\tlogCtx \nbranchRef_x \rtoken_id \tn12:0023 \u001b4f9c2e1a \bmy_name`,
	} {
		for word := range strings.FieldsSeq(words) {
			if got := wordsOf("it took " + word + " in all"); len(got) > 0 {
				t.Errorf("%s: %s is listed as %q", kind, word, got)
			}
		}
	}
	// Names that look like amounts are listed.
	for _, word := range []string{"4f9c2e1", "deadbeef12", "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
		"QX7Z2K99", "user_42", "ErrTimeout42", "../../a/../cli.go", "v1.old_api...v2.new_api"} {
		if got := wordsOf("see " + word + " there"); len(got) != 1 {
			t.Errorf("%s is listed as %q", word, got)
		}
	}
}

func TestTop(t *testing.T) {
	const text = "src/a.go calls VerifyToken; VerifyToken is in src/b.go, see 4f9c2e1a and " +
		"48151623."
	for n, want := range []string{
		"", "src/a.go", "src/a.go src/b.go", "src/a.go src/b.go 4f9c2e1a",
		"src/a.go VerifyToken src/b.go 4f9c2e1a",
		"src/a.go VerifyToken src/b.go 4f9c2e1a 48151623",
		"src/a.go VerifyToken src/b.go 4f9c2e1a 48151623",
	} {
		if got := strings.Join(Top(text, n, nil), " "); got != want {
			t.Errorf("the first %d: got %q, want %q", n, got, want)
		}
	}
	skip := func(word string) bool { return strings.HasPrefix(word, "src/") }
	if got := strings.Join(Top(text, 2, skip), " "); got != "VerifyToken 4f9c2e1a" {
		t.Errorf("without paths: got %q", got)
	}
	if got := Top(text, -1, nil); got != nil {
		t.Errorf("fewer than none: got %q", got)
	}
}

// Of the ids of rows, the first and the most frequent are listed, and other references beside them.
func TestTopOfRows(t *testing.T) {
	text := "parseAll reads CB-9000 and CB-9000, "
	for row := range 20 {
		text = fmt.Sprintf("CB-%d ", 4000+row) + text
	}
	const want = "CB-4019 CB-4018 CB-4017 CB-4016 CB-4015 CB-4014 CB-4013 parseAll CB-9000"
	if got := strings.Join(Top(text, 16, nil), " "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// One long name takes the room of several short ones.

func TestFitting(t *testing.T) {
	const text = "github.com/someone/a-long-name/internal is where parseAll calls readLine; " +
		"parseAll is called by main.go"
	for room, want := range map[int]string{
		-1: "", 0: "", 9: "main.go", 19: "parseAll main.go", 29: "parseAll readLine main.go",
		68: "parseAll readLine main.go",
		70: "github.com/someone/a-long-name/internal parseAll readLine main.go",
	} {
		if got := strings.Join(Fitting(In(text), len(text), room, nil), " "); got != want {
			t.Errorf("in %d bytes: got %q, want %q", room, got, want)
		}
	}
	skip := func(word string) bool { return word == "parseAll" }
	if got := strings.Join(Fitting(In(text), len(text), 19, skip), " "); got != "readLine main.go" {
		t.Errorf("without one: got %q", got)
	}
	const rows = "a 10001 b 10002 c 10003 d 10004 e 10005 f 10006 g 10007 h 10008"
	for text, want := range map[string]string{
		rows:                      "10001 10002 10003 10004 10005 10006 10007 10008",
		rows + " i 10009 main.go": "main.go", // a table
	} {
		if got := strings.Join(Fitting(In(text), len(text), 99, nil), " "); got != want {
			t.Errorf("of %q: got %q", text, got)
		}
	}
}

// FuzzEach: every reference occurs in the text, is neither short nor data, and is found again in
// itself.
func FuzzEach(f *testing.F) {
	for _, seed := range []string{
		"src/a.go:12 VerifyToken https://x.org/a?b=c 4f9c2e1a", `{"path":"a\\tb_c.go"}`,
		"\x1b[48;5;12mfoo_bar\x1b[0m", "limit=max_items&a.go#L12", "//.//:::@@",
		"${SOURCE_URL:-https://a.io/b_c?d=e}", "A_B=c:-d=e_f://",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		Each(text, func(word string, kind Kind) {
			if !strings.Contains(text, word) || len(word) < 3 || len(word) > maxLen+8 ||
				kind == None || kind > URL {
				t.Errorf("%q of kind %d in %q", word, kind, text)
			}
		})
		if top := Top(text, 8, nil); len(top) > 8 {
			t.Errorf("%d of 8 references", len(top))
		}
	})
}

// Most words are classified without being counted, with the same result.
func TestPlainWordsAreClassifiedAlike(t *testing.T) {
	parts := []string{"", "a", "Bc", "dEf", "_", ".", "-", "@", ":", "~", "words", "go", "("}
	for n := range len(parts) * len(parts) * len(parts) * len(parts) {
		word := ""
		for range 4 {
			word += parts[n%len(parts)]
			n /= len(parts)
		}
		if strings.Contains(word, "(") {
			word = strings.ReplaceAll(word, "(", strings.Repeat("xY_", maxLen/3))
		}
		in := classes(0)
		for i := range len(word) {
			in |= classOf[word[i]]
		}
		if word = trim(word); word == "" {
			continue
		}
		if got, want := classifyPlain(word, in), classify(word, count(word)); got != want {
			t.Errorf("%s: %d, want %d", word, got, want)
		}
	}
}
