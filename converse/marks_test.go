package converse

import (
	"fmt"
	"strings"
	"testing"

	"killick/view"
)

const (
	short = `{"cachePoint":{"type":"default"}}`
	long  = `{"cachePoint":{"type":"default","ttl":"1h"}}`
)

// conversation returns elements: u is the user's, a the model's, a digit so many calls with their
// results. One that is followed by ! ends in a cache point.
func conversation(script, point string) string {
	var all []string
	for i, c := range script {
		on := ""
		if i+1 < len(script) && script[i+1] == '!' {
			on = "," + point
		}
		element := func(role, blocks string) {
			all = append(all, `{"role":"`+role+`","content":[`+blocks+`]}`)
		}
		switch {
		case c == 'u':
			element("user", fmt.Sprintf(`{"text":"%d"}`, i)+on)
		case c == 'a':
			element("assistant", fmt.Sprintf(`{"text":"%d"}`, i)+on)
		case c >= '1' && c <= '9':
			var calls, results []string
			for n := range int(c - '0') {
				calls = append(calls, fmt.Sprintf(`{"toolUse":{"toolUseId":"%d_%d"}}`, i, n))
				results = append(results,
					fmt.Sprintf(`{"toolResult":{"toolUseId":"%d_%d","content":[]}}`, i, n))
			}
			element("assistant", strings.Join(calls, ","))
			element("user", strings.Join(results, ",")+on)
		}
	}
	return strings.Join(all, ",")
}

// Where the cache points of a changed conversation are. R is the record, others are named by their
// place in the script.
func TestMarks(t *testing.T) {
	system := func(n int) string {
		return `"system":[{"text":"s"}` + strings.Repeat(","+long, n) + `],`
	}
	for _, c := range []struct {
		name, members, script, point string
		kept, from                   int // messages before the record, and the first after it
		want                         string
	}{
		{"none of the client's", "", "uauau", short, 0, 3, ""},
		{"in the tail", "", "uaua1!", short, 0, 3, "R 4_0"},
		{"in folded turns", "", "uau!a1", short, 0, 3, "R"},
		{"in folded turns and in the tail", "", "uau!a1!", short, 0, 3, "R 5_0"},
		{"on a kept message", "", "u!aua1", short, 1, 3, "0 R"},
		{"of an hour", "", "uaua1!", long, 0, 3, "R! 4_0!"},
		{"all used", system(4), "uaua1", short, 0, 3, "s!s!s!s!"},
		{"all used with the last", system(3), "uaua1!", short, 0, 3, "s!s!s! 4_0"},
		{"all used, one moves", system(3), "uau!a1", short, 0, 3, "s!s!s! R"},
		{"one to spare", system(2), "uaua1!", long, 0, 3, "s!s! R! 4_0!"},
		{"a long turn", "", "uauau9!", short, 0, 3, "R 4 5_8"},
	} {
		r := parse(t, `{`+c.members+`"messages":[`+conversation(c.script, c.point)+`]}`)
		pieces := []view.Piece{{From: 0, To: c.kept},
			{Raw: []byte(`{"role":"user","content":[{"text":"R"}]}`)},
			{From: c.from, To: len(r.Messages())}}
		out := string(r.Splice(Format.Mark(r, pieces)))
		if got := pointed(t, out); got != c.want {
			t.Errorf("%s: %q, want %q in %s", c.name, got, c.want, out)
		}
	}
}

// A message that was cut without its cache point gives it to the record.
func TestMarkOfACutMessage(t *testing.T) {
	r := parse(t, `{"messages":[`+conversation("uau!a1", short)+`]}`)
	out := string(r.Splice(Format.Mark(r, []view.Piece{{To: 1},
		{From: 2, To: 3, Raw: []byte(`{"role":"user","content":[{"text":"cut"}]}`)},
		{Raw: []byte(`{"role":"user","content":[{"text":"R"}]}`)},
		{From: 3, To: len(r.Messages())}})))
	if got := pointed(t, out); got != "R" {
		t.Errorf("%q, want the record alone to have a cache point: %s", got, out)
	}
}

// pointed returns before what the cache points of a body are: the text of the block before each, or
// the call that it answers. ! is one of an hour.
func pointed(t *testing.T, body string) string {
	t.Helper()
	r := parse(t, body)
	var list []string
	add := func(before string, ttl bool) {
		if ttl {
			before += "!"
		}
		list = append(list, before)
	}
	before := ""
	for block := range r.Field("system").Elements() {
		if point := block.Get(markName); point != nil {
			before += "s!"
		}
	}
	if before != "" {
		list = append(list, before)
	}
	for message := range r.Field("messages").Elements() {
		for block := range message.Get("content").Elements() {
			if point := block.Get(markName); point != nil {
				add(before, point.Get("ttl") != nil)
				continue
			}
			before = block.Get("text").Text() + block.Get("toolResult").Get("toolUseId").Text()
		}
	}
	return strings.Join(list, " ")
}
