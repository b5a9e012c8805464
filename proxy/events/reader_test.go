package events

import (
	"slices"
	"strings"
	"testing"
)

func feed(p *Reader, pieces ...string) (events []string) {
	for _, piece := range pieces {
		p.Feed([]byte(piece), func(data []byte) { events = append(events, string(data)) })
	}
	return events
}

func TestReader(t *testing.T) {
	tests := []struct {
		name, stream string
		want         []string
	}{
		{"one", "data: a\n\n", []string{"a"}},
		{"CRLF and CR", "data: a\r\n\r\ndata:b\r\rdata: c\n\n", []string{"a", "b", "c"}},
		{"comments and other fields", ": ping\n\nevent: x\nid: 1\ndata: a\nretry: 3\n\n",
			[]string{"a"}},
		{"two lines", "data: a\ndata: b\n\n", []string{"a\nb"}},
		{"a byte order mark", "\uFEFFdata: a\n\n", []string{"a"}},
		{"torn at the end", "data: a\n\ndata: b\n", []string{"a"}},
		{"too long, then good", "data: " + strings.Repeat("x", 40) + "\n\ndata: b\n\n",
			[]string{"b"}},
		{"long comments and fields", "data: a\n:" + strings.Repeat("x", 40) + "\nid: " +
			strings.Repeat("y", 40) + "\ndata: b\n\n", []string{"a\nb"}},
		{"too long in sum", "data: " + strings.Repeat("x", 20) + "\ndata: " +
			strings.Repeat("y", 20) + "\n\ndata: b\n\n", []string{"b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := feed(&Reader{MaxEvent: 32}, tt.stream); !slices.Equal(got, tt.want) {
				t.Errorf("whole: %q, want %q", got, tt.want)
			}
			if got := feed(&Reader{MaxEvent: 32},
				strings.Split(tt.stream, "")...); !slices.Equal(got, tt.want) {
				t.Errorf("byte by byte: %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	f.Add("data: a\r\n\r\n: c\ndata:b\n\n", 3)
	f.Add("\uFEFFdata\n\ndata: x\rdata: y\r\r", 1)
	f.Fuzz(func(t *testing.T, stream string, cut int) {
		cut = min(max(cut, 0), len(stream))
		whole := feed(&Reader{MaxEvent: 16}, stream)
		split := feed(&Reader{MaxEvent: 16}, stream[:cut], stream[cut:])
		if !slices.Equal(whole, split) {
			t.Fatalf("cut at %d: %q, whole: %q", cut, split, whole)
		}
	})
}
