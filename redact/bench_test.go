package redact

import (
	"fmt"
	"strings"
	"testing"
)

// code returns source code, which agents read most, without a credential.
func code(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b,
			"func (s *Server) handle%d(w http.ResponseWriter, r *http.Request) error {\n\ttoken "+
				":= r.Header.Get(\"X-Token\")\n"+
				"\tif s.keys[token] == nil { // the password is checked elsewhere: see "+
				"https://example.com/a/%d\n\t\treturn errors.New(\"x\")\n\t}\n\treturn nil\n}\n", i,
			i)
	}
	return b.String()[:size]
}

func BenchmarkText(b *testing.B) {
	for name, s := range map[string]string{
		"code/16KB": code(16 << 10),
		"code/64KB": code(64 << 10),
		"prose": strings.Repeat("The limit is parsed where requests are read, and nobody "+
			"else looks at it again. ", 800),
		"secrets": strings.Repeat("export GITHUB_TOKEN=ghp_"+from(base62, 36, 1)+" && make\n",
			1000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Text(s)
			}
		})
	}
}

// hostile are texts designed to be slow.
var hostile = map[string]string{
	"prefixes":  "ghp_",
	"sk":        "sk-",
	"keys":      "key=",
	"passwords": "password:",
	"quotes":    `token="`,
	"pem":       "-----BEGIN RSA PRIVATE KEY-----",
	"urls":      "https://a:b",
	"bearer":    "bearer ",
	"jwt":       "eyJ",
	"curl":      "curl -u ",
	"login":     "machine a login b password ",
	"base64":    "AAAAB3NzaC1yc2E",
	"escapes":   `\"key\":\"`,
	"types":     "secret: a b ",
	"digits":    "12345678:AA",
	"private":   "Private-Lines: 1\n",
	"auth":      "authorization: bearer ",
	"slack":     "xoxb-",
	"spaces":    "password        ",
	"hexes":     "0123456789abcdef",
}

func BenchmarkHostile(b *testing.B) {
	for name, s := range hostile {
		text := strings.Repeat(s, 64<<10/len(s))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Text(text)
			}
		})
	}
}
