package value

import (
	"fmt"
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"Edited src/auth.go:42, then internal/x/.": "number 42|path src/auth.go|path internal/x/",
		"at 09:45, drain_test.go:8, db:1234": "number 09:45|path drain_test.go|" +
			"number 8|number 1234",
		"order A-20391 within 30-60 ms": "identifier A-20391|number 30 ms|number 60 ms",
		"on 2024-05-02T09:45:10Z, 25 mg": "identifier 2024-05-02|" +
			"number 09:45:10z|number 25 mg",
		`open C:\work\auth.go and ./run.sh`:   `path C:\work\auth.go|path ./run.sh`,
		"read/write or client/server, and/or": "",
		"took 10ms, 2.5 s, 50%, 3 GB, $4.20 and 1,000 times": "number 10ms|number 2.5 s|" +
			"number 50%|number 3 GB|number $4.20|number 1,000",
		"3 tests of 12 passed, 2nd try, a 16-bit word": "",
		"port 8443, issue #77, port 443":               "number 8443|number #77|number 443",
		"v1.2.3 and 1.26.0-rc1, not 1.26": "version v1.2.3|" +
			"version 1.26.0-rc1|number 1.26",
		"commit 4f2a9c17d3 of user_id, GH-42 by joe@corp": "identifier 4f2a9c17d3|" +
			"identifier user_id|identifier GH-42|identifier joe@corp",
		"see https://a.example.com/x?y=1#z.":               "url https://a.example.com/x?y=1#z",
		"calls `run(x)` and `a`":                           "code run(x)",
		"Der Dienst lief z.B. am 2026-05-20, d.h. gestern": "identifier 2026-05-20",
		"耗时从 42 秒降到 1.8 秒，文件 app/export/orders.go 已修改": "number 1.8|" +
			"path app/export/orders.go",
		"It works. Then it stops.Next": "path stops.Next",
		"…":                            "",
	} {
		var got []string
		for _, v := range In(text) {
			got = append(got, fmt.Sprint(v.Kind, " ", v.Text))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s:\ngot  %q\nwant %q", text, strings.Join(got, "|"), want)
		}
	}
}

func TestReadDigits(t *testing.T) {
	for text, want := range map[string]string{
		"7": "[7]", "1,000": "[1000 1]", "1.000": "[1000 1]", "1.5": "[1.5]", "1,5": "[1.5]",
		"1.234,56": "[1234.56]", "1,234.56": "[1234.56]",
		"1.000.000": "[1e+06]", "1.2.3": "[]", "": "[]", "5.": "[]", "12,34,56": "[]",
	} {
		if got := fmt.Sprint(readDigits(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
