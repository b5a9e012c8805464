package redact

import (
	"strings"
	"testing"
)

// A signed URL gives access to anybody who has it: its signature is removed, and all else stays.
func TestSignaturesOfURLsAreRedacted(t *testing.T) {
	hex := from(hexes, 64, 1)
	sas := from(base62, 43, 2)
	escaped := from(base62, 12, 3) + "%2B" + from(base62, 12, 4) + "%2F" + from(base62, 17, 5)
	short := from(base62, 27, 6)
	long := from(base62+"-~", 340, 7)
	for _, c := range []struct{ before, secret, after, kind string }{
		// Azure: of a container, first and last, in JSON, in HTML, in another URL.
		{"https://a.blob.core.windows.net/c/b?sv=2022&sp=r&sig=", sas + "%3D", "", "azure sas"},
		{"https://a.blob.core.windows.net/c?sig=", escaped + "%3D", "&sv=2022", "azure sas"},
		{`{"u":"https://a.net/c?sv=2022\u0026sig=`, sas + "%3d", `\u0026se=1"}`, "azure sas"},
		{`{"u":"https://a.net/c\u003fsig=`, sas + "%3d", `","b":1}`, "azure sas"},
		{`<a href="https://a.net/c?sv=2022&amp;sig=`, sas + "%3D", `&amp;se=1">`, "azure sas"},
		{"https://x/?u=https%3A%2F%2Fa.net%2Fb%3Fsig%3D", sas + "%253D", "%26se%3D1",
			"azure sas"},
		{"SharedAccessSignature sr=sb%3a%2f%2fx&sig=", sas + "%3d", "&se=1&skn=Root",
			"azure sas"},
		{"SharedAccessSignature=sig=", sas + "=", "&sv=2022", "azure sas"},
		// Amazon: in a query, as a program may spell it, in JSON, in a header, Version 2.
		{"https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=", hex, "#top",
			"aws presigned"},
		{"https://b.s3.amazonaws.com/k?x-amz-signature=", hex, " ", "aws presigned"},
		{`"https://b.s3.amazonaws.com/k?a=b\u0026X-Amz-Signature=`, hex, `"`, "aws presigned"},
		{"AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=", hex, "\n", "aws"},
		{"https://b.s3.amazonaws.com/k?Expires=1&Signature=", short + "%3D", "", "url"},
		// Google: V4 by a key of an account and by HMAC, V2.
		{"https://storage.googleapis.com/b/o?X-Goog-Signature=", strings.Repeat(hex, 8), "&a=b",
			"google presigned"},
		{"see https://storage.googleapis.com/b/o?a=b&X-Goog-Signature=", hex, ".",
			"google presigned"},
		{"https://storage.googleapis.com/b/o?GoogleAccessId=a&Signature=", long, "", "url"},
		// CloudFront, and others in the same way.
		{"https://d1.cloudfront.net/i?Expires=1&Signature=", long, "&Key-Pair-Id=K2", "url"},
	} {
		text := c.before + c.secret + c.after
		want := c.before + "[redacted: " + c.kind + " signature]" + c.after
		if got := Text(text); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if again := Text(want); again != want {
			t.Errorf("redacted twice: %s", again)
		}
	}
}

func TestWhatIsNoSignatureStays(t *testing.T) {
	for _, text := range []string{
		"sig=" + from(hexes, 40, 1),
		"git log --show-signature=" + from(hexes, 40, 2),
		"https://x/?sig=short&signature=none",
		"verify(payload, signature=self.compute_signature_of_the_request_body)",
		"https://x/?X-Amz-Signature=your-signature-goes-here-0123456789",
		"design=" + from(base62, 43, 3),
		"def f(sig=None, signature=b''):",
	} {
		if got := Text(text); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}
