package excerpt

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// parts are what no cut divides, in texts of several scripts.
var parts = map[string]string{
	"numbers in Chinese":  "价格是|12800|元，电话是|138-0013-8000|，编号|ＡＢＣ|-|2026|，面积|３０|平方米。",
	"paths in Chinese":    "请|看|src/订单/价格.go|里的|计算_总价|函数。",
	"Japanese":            "データ|（|第|12,345.67|行|）|を|確認|する",
	"small kana":          "きゃ|く|の|いっ|しょ|人々|ヴァ",
	"vowels":              "เชี|ย|ง|ให|ม่ๆ|ແຂ|ວ|ງ",
	"marks of Devanagari": "क्षि|ति|ज|ज्ञा|न|पु|र|श्री|कृ|ष्ण",
	"marks of Thai":       "กา|ล|ค|รั้|ง|ห|นึ่|ง|น้ำ|เจ้",
	"emojis":              "👨‍👩‍👧‍👦|👩🏽‍🔬|🇹🇷|🇫🇷|🗓️|❤️‍🔥|👍🏼|🇩🇪",
	"accents":             "e\u0301|n\u0303|o\u0308\u0304|x",
	"Arabic":              "٤٢٥٠|٫|٧٥",
	"escapes":             `\u0645|\u0631|\u062d|\ud83d\ude00|\n|\u00e9|a`,
	"dates and times":     "14:30|,2026-11-26|x2/3/2025",
	"numbers in groups": "kwota| |10 655,02| |PLN| |na| |PL27 1140 2004 0000 3002 0135 5387,| " +
		"|tel.| |+48 600 100 200",
}

func TestCutsDivideNoCharacter(t *testing.T) {
	for name, marked := range parts {
		marked = "a| |" + marked + "| |a"
		text := strings.ReplaceAll(marked, "|", "")
		allowed := map[int]bool{}
		for at, rest := 0, marked; ; {
			part, after, more := strings.Cut(rest, "|")
			at += len(part)
			allowed[at] = true
			if rest = after; !more {
				break
			}
		}
		unit := func(i int) bool { return allowed[i] || i == 0 || i == len(text) }
		for n := 2; n < len(text)-1; n++ {
			for _, i := range []int{CutEnd(text, n, 0), CutStart(text, n, len(text))} {
				// what the parts do not say: between letters of scripts without spaces
				before, _ := utf8.DecodeLastRuneInString(text[:i])
				after, _ := utf8.DecodeRuneInString(text[i:])
				free := unspaced(before) && unspaced(after) && !unicode.IsMark(after) &&
					name != "paths in Chinese" && name != "small kana" && name != "vowels"
				if !unit(i) && !free {
					t.Errorf("%s, at %d: %q and %q", name, n, text[:i], text[i:])
				}
			}
		}
	}
}

// Without a space nearby, a cut is beside the punctuation of an argument, not within its name.
func TestCutsDivideNoNameOfAnArgument(t *testing.T) {
	const text = "subagent_type=general-purpose,run_in_background=true"
	for n := 1; n < len(text)-1; n++ {
		switch i := CutStart(text, n, len(text)-1); text[i:] {
		case "general-purpose,run_in_background=true", "run_in_background=true", "true":
		default:
			if n <= len(text)-len("true") {
				t.Errorf("from %d: %q", n, text[i:])
			}
		}
		switch i := CutEnd(text, n, 0); text[:i] {
		case "subagent_type", "subagent_type=", "subagent_type=general-purpose",
			"subagent_type=general-purpose,", "subagent_type=general-purpose,run_in_background",
			"subagent_type=general-purpose,run_in_background=":
		default:
			if n >= len("subagent_type") {
				t.Errorf("to %d: %q", n, text[:i])
			}
		}
	}
}

func TestCutsAreNearTheirPlace(t *testing.T) {
	for _, c := range []struct {
		text       string
		n          int
		end, start string // what remains
	}{
		{"one two three", 9, "one two ", "hree"},
		{"one two three", 7, "one two", " three"},
		{"价格是12800元", 11, "价格是", "元"},
		{"价格是12800元，电话", 17, "价格是12800元", "，电话"},
		{"请看src/订单/价格.go里", 21, "请看", "里"},
		{"core/src/main/kotlin/com", 11, "core/src/", "/kotlin/com"},
		{`C:\src\Fabrik\tests`, 10, `C:\src`, `\tests`},
		{"questions.0.options.2", 14, "questions.0.", ".2"},
		{"na 1 200 000,00 zł", 7, "na ", " zł"},
		{strings.Repeat("12 ", 40), 60, strings.Repeat("12 ", 20), strings.Repeat("12 ", 20)},
		{strings.Repeat("9", 400), 200, strings.Repeat("9", 200), strings.Repeat("9", 200)},
		{"ไป นิมมานเหมินท์ ซอย 9", 30, "ไป", " ซอย 9"},
		{strings.Repeat("🇹🇷", 50), 4*2*20 + 4, strings.Repeat("🇹🇷", 20),
			strings.Repeat("🇹🇷", 29)},
		{"x" + strings.Repeat("\u0301", 90), 100, "x" + strings.Repeat("\u0301", 49),
			strings.Repeat("\u0301", 40)},
	} {
		if got := c.text[:CutEnd(c.text, c.n, 0)]; got != c.end {
			t.Errorf("%.40q, the first %d bytes: %q, want %q", c.text, c.n, got, c.end)
		}
		if got := c.text[CutStart(c.text, c.n, len(c.text)):]; got != c.start {
			t.Errorf("%.40q, from byte %d: %q, want %q", c.text, c.n, got, c.start)
		}
	}
}

// Quotes of texts without spaces end between words, and never within a number.
func TestQuotesWithoutSpaces(t *testing.T) {
	text := strings.Repeat("他说价格是12800元，电话是13800138000，编号ABC-2026-000417。", 40)
	for n := 60; n < 400; n++ {
		got := Quote(text, n)
		head, tail, ok := strings.Cut(got, Gap)
		if !ok || len(got) > n || len(got) < n/2 {
			t.Fatalf("%d bytes: %q", n, got)
		}
		for _, side := range []string{head, tail} {
			for _, number := range strings.FieldsFunc(side, func(r rune) bool {
				return r > unicode.MaxASCII
			}) {
				switch number {
				case "12800", "13800138000", "ABC-2026-000417":
				default:
					t.Errorf("%d bytes: %q in %q", n, number, got)
				}
			}
		}
	}
}

func FuzzCuts(f *testing.F) {
	for _, marked := range parts {
		f.Add(strings.ReplaceAll(marked, "|", ""), 9, 3)
	}
	f.Fuzz(func(t *testing.T, text string, n, by int) {
		if n < 0 || n > len(text) || !utf8.ValidString(text) {
			return
		}
		end, start := CutEnd(text, n, n-by), CutStart(text, n, n+by)
		if end < 0 || end > n || start < n || start > len(text) ||
			!utf8.ValidString(text[:end]) || !utf8.ValidString(text[start:]) {
			t.Errorf("%q at %d: %d and %d", text, n, end, start)
		}
	})
}
