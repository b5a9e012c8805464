package platform

import "testing"

func TestParseMapping(t *testing.T) {
	for _, c := range []struct {
		line string
		want Mapping
		ok   bool
	}{
		{"7f61c0000000-7f61c8000000 rw-s 00000000 fe:00 1234     /data/000001.vlog",
			Mapping{from: 0x7f61c0000000, to: 0x7f61c8000000, File: "/data/000001.vlog"}, true},
		{"1000-2000 r--s 00000000 fe:00 7   /a folder/x.sst",
			Mapping{from: 0x1000, to: 0x2000, File: "/a folder/x.sst"}, true},
		{"c000000000-c000400000 rw-p 00000000 00:00 0 ", Mapping{}, false},
		{"7ffd1000-7ffd2000 rw-p 00000000 00:00 0    [stack]", Mapping{}, false},
		{"2000-1000 r--s 00000000 fe:00 7   /a/x.sst", Mapping{}, false},
		{"x-y r--s 00000000 fe:00 7   /a/x.sst", Mapping{}, false},
		{"", Mapping{}, false},
	} {
		if got, ok := parseMapping(c.line); got != c.want || ok != c.ok {
			t.Errorf("%q: %+v, %v, want %+v, %v", c.line, got, ok, c.want, c.ok)
		}
	}
}
