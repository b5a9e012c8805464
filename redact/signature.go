package redact

import "strings"

// signatures are the words that precede the signature of a URL. Until it expires, a signed URL
// gives access to anybody who has it. Sources: learn.microsoft.com (shared access signatures),
// docs.aws.amazon.com (Signature Version 4 in a query and in a header, and Version 2),
// cloud.google.com/storage (signed URLs, V4 and V2), docs.aws.amazon.com/cloudfront.
var signatures = []*keyword{
	{text: "sig=", context: (*scanner).signature},
	{text: "sig%3d", context: (*scanner).signature},
	{text: "signature=", context: (*scanner).signature},
	{text: "signature%3d", context: (*scanner).signature},
}

// minSignature is the length of the shortest signature: SHA-1 in base64, without padding.
const minSignature = 27

// maxSignature is more than the length of the longest: RSA with 4096 bits in hexadecimal.
const maxSignature = 1200

// maxParam limits the name of a parameter: X-Goog-Signature has 16 letters.
const maxParam = 24

// signature finds the value of a parameter that is a signature.
func (sc *scanner) signature(start, end int) (Match, bool) {
	s, from := sc.text, start
	for from > 0 && start-from < maxParam && (isAlpha(s[from-1]) || s[from-1] == '-') {
		from--
	}
	if strings.HasSuffix(s[:from], "%3") || strings.HasSuffix(s[:from], "u003") {
		from++ // the end of an escaped question mark
	}
	name, kind := strings.ToLower(s[from:end]), "url signature"
	param := beginsParam(s, from)
	switch {
	case strings.HasPrefix(name, "x-amz-"):
		kind, param = "aws presigned signature", true
	case strings.HasPrefix(name, "x-goog-"):
		kind, param = "google presigned signature", true
	case strings.HasPrefix(name, "sig=") || strings.HasPrefix(name, "sig%"):
		kind = "azure sas signature"
		param = param || isSAS(s[end:sc.runOf(end)]) // of a connection string
	case strings.HasPrefix(name, "signature=") && strings.HasSuffix(s[:from], ", "):
		kind, param = "aws signature", true // of a header, after SignedHeaders
	}
	if !param {
		return Match{}, false
	}
	value := s[end:min(sc.runOf(end), end+maxSignature)]
	if cut := strings.IndexByte(value, '#'); cut >= 0 {
		value = value[:cut]
	}
	if cut := strings.Index(value, "%26"); cut >= 0 { // of a URL in a URL
		value = value[:cut]
	}
	value = strings.TrimRight(value, ".:!?")
	if len(value) < minSignature || len(value) == maxSignature ||
		!looksRandom(value) || isPlaceholder(value) {
		return Match{}, false
	}
	return Match{end, end + len(value), kind}, true
}

// isSAS reports whether a value can be SHA-256 in base64, rather than a hash in hexadecimal.
func isSAS(v string) bool {
	m := makeupOf(v[:min(len(v), 128)])
	return len(v) >= 43 && m.lower > 0 && m.upper > 0
}

func isAlpha(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// paramStarts precede the name of a parameter: in a plain URL, and as JSON, HTML and other URLs
// escape it.
var paramStarts = []string{"?", "&", `\u0026`, `\u003f`, "&amp;", "%26", "%3f"}

func beginsParam(s string, at int) bool {
	before := strings.ToLower(s[max(0, at-6):at])
	for _, start := range paramStarts {
		if strings.HasSuffix(before, start) {
			return true
		}
	}
	return false
}
