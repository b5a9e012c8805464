package corpus

import (
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
)

// minHalf is the smallest half of a corpus that is worth timing.
const minHalf = 64 << 10

// UnseenKinds are the kinds that Unseen makes or finds: prose in nine languages,
// and what coding agents send.
var UnseenKinds = []string{
	"en", "de", "fr", "ru", "zh", "ja", "ko", "ar", "hi",
	"go", "python", "javascript", "json", "logs", "csv", "diff", "base64", "pem", "chat",
}

// MoreKinds are further ones.
var MoreKinds = []string{"minified", "hex", "uk", "el", "he", "th"}

// Unseen returns two texts of a kind, of about size bytes each or fewer where
// there are not so many, that share nothing but the kind: one to warm a counter
// and one to time it. Texts that are found on the machine rather than made are
// looked for where Debian and Go keep them; a test that asks for one that is not
// there is skipped.
func Unseen(t testing.TB, kind string, size int) (warm, timed string) {
	t.Helper()
	switch kind {
	case "json", "logs", "base64", "chat":
		return Text(t, kind, size, 0), Text(t, kind, size, 1)
	case "csv", "diff", "pem", "hex":
		return made(t, kind, size, 0), made(t, kind, size, 1)
	}
	items, err := found(kind)
	if err != nil {
		t.Fatalf("looking for texts of the kind %q: %v", kind, err)
	}
	// In no order, so that a part is of many sources.
	r := rand.New(rand.NewPCG(19, 19))
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	var halves [2]strings.Builder
	seen := make(map[string]bool)
	for _, item := range items {
		if seen[item] {
			continue
		}
		seen[item] = true
		h := fnv.New64a()
		h.Write([]byte(item))
		half := &halves[h.Sum64()>>32%2]
		if half.Len() < size {
			half.WriteString(item)
			half.WriteByte('\n')
		}
	}
	if min(halves[0].Len(), halves[1].Len()) < minHalf {
		t.Skipf("no text of the kind %q is on this machine, or too little: %d and %d bytes, "+
			"want %d", kind, halves[0].Len(), halves[1].Len(), minHalf)
	}
	cut := func(s string) string { return strings.ToValidUTF8(s[:min(len(s), size)], "") }
	return cut(halves[0].String()), cut(halves[1].String())
}

// made returns size bytes of a kind that is put together of Go's sources and
// random numbers.
func made(t testing.TB, kind string, size int, seed uint64) string {
	t.Helper()
	s, err := goSource()
	if err != nil {
		t.Fatalf("reading Go's sources: %v", err)
	}
	r := rand.New(rand.NewPCG(seed, 19))
	var b strings.Builder
	for b.Len() < size {
		switch kind {
		case "csv":
			b.WriteString(row(r, s))
		case "diff":
			b.WriteString(hunk(r, s))
		case "pem":
			kinds := []string{"CERTIFICATE", "RSA PRIVATE KEY"}
			block := pem.Block{Type: pick(r, kinds), Bytes: random(r, 900+r.IntN(800))}
			b.Write(pem.EncodeToMemory(&block))
		case "hex":
			if r.IntN(2) == 0 {
				b.WriteString(hex.Dump(random(r, 256)))
			} else {
				fmt.Fprintf(&b, "%x  %s.go\n", random(r, 32), pick(r, s.names))
			}
		}
	}
	return strings.ToValidUTF8(b.String()[:size], "")
}

func random(r *rand.Rand, n int) []byte {
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	return raw
}

func row(r *rand.Rand, s *source) string {
	return fmt.Sprintf("%d,%s,%s,\"%s\",%.2f,%d-%02d-%02d,%s@example.com,%v,%d\n",
		r.IntN(1e7), pick(r, s.names), pick(r, s.names),
		strings.ReplaceAll(pick(r, s.sentences), `"`, `""`), r.Float64()*1e4,
		1990+r.IntN(40), 1+r.IntN(12), 1+r.IntN(28), strings.ToLower(pick(r, s.names)),
		r.IntN(2) == 0, r.IntN(1000))
}

// hunk is one of a unified diff, of Go code that lines are taken out of and moved in.
func hunk(r *rand.Rand, s *source) string {
	start := r.IntN(len(s.code) - 1500)
	lines := strings.Split(s.code[start:start+1200], "\n")[1:]
	var b strings.Builder
	name := pick(r, s.names) + "/" + pick(r, s.names) + ".go"
	fmt.Fprintf(&b, "diff --git a/%s b/%[1]s\nindex %07x..%07x 100644\n",
		name, r.IntN(1<<28), r.IntN(1<<28))
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%[1]s\n@@ -%d,%d +%d,%d @@ func %s(\n", name, start%2000,
		len(lines), start%2000+r.IntN(50), len(lines)+r.IntN(8), pick(r, s.names))
	for _, line := range lines {
		b.WriteString([]string{" ", " ", " ", "+", "-"}[r.IntN(5)] + line + "\n")
	}
	return b.String()
}
