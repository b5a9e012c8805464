package search

import (
	"slices"
	"testing"
)

func TestReferences(t *testing.T) {
	for text, want := range map[string][]string{
		"see ./cmd/proxy/main.go:12:3, please":        {"cmd/proxy/main.go"},
		"/Users/ann/src/x.py and ~/notes.md":          {"Users/ann/src/x.py", "notes.md"},
		"GET https://api.example.com/v1/x?id=7&b=%20": {"https://api.example.com/v1/x?id=7&b=%20"},
		"read/write and/or more":                      nil,
		"call parseMessage(old_string, httpServer)":   {"parseMessage", "old_string", "httpServer"},
		"Commit 49f60d05 on 2026-02-06, ENT-221":      {"49f60d05", "2026-02-06", "ENT-221"},
		"port 8080, order 1234567":                    {"1234567"},
		"A Sentence. With Words, e.g. none":           nil,
		"@scope/pkg-name v1.2.3":                      {"v1.2.3"},
		"README.md.":                                  {"README.md"},
		"Größe_x, src/файл.go, РассчитатьИтог": {"Größe_x", "src/файл.go",
			"РассчитатьИтог"},
		"и/или так":       nil,
		"修改src/main.go文件": {"src/main.go"},
		"":                nil,
	} {
		var got []string
		EachReference(text, func(word string) { got = append(got, word) })
		if !slices.Equal(got, want) {
			t.Errorf("%q holds %q, want %q", text, got, want)
		}
	}
}
