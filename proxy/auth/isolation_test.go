package auth

import (
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestIsolationsAreChecked(t *testing.T) {
	for isolation, want := range map[string]string{
		"credential": "", "inbound-key": "", "header:X-Tenant": "",
		"":              "want credential",
		"tenant":        "want credential",
		"X-Tenant":      "want credential",
		"header:":       "want credential",
		"header:a b":    "want credential",
		"header:a\r\nb": "want credential",
		"header:accept": "one value for many clients",
	} {
		err := CheckIsolation(isolation, keyring())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", isolation, err, want)
		}
	}
	if CheckIsolation(ByInboundKey, nil) == nil {
		t.Error("isolation by inbound key is accepted without any inbound keys")
	}
}

// Clients of one inbound key, or with one value of the isolation's header, share what is learned;
// others do not. Where neither is there, the credential decides.
func TestWhatIsolatesClients(t *testing.T) {
	const tenant, byTenant = "X-Tenant", ByHeader + "x-tenant"
	bearer := func(key string, more ...string) *http.Request {
		return request(append([]string{"Authorization", "Bearer " + key}, more...)...)
	}
	for name, c := range map[string]struct {
		isolation string
		a, b      *http.Request
		same      bool
	}{
		"one inbound key": {ByInboundKey, bearer(keyA), bearer(keyA, "Cookie", "c"), true},
		"two":             {ByInboundKey, bearer(keyA), bearer(keyB), false},
		"no inbound key":  {ByInboundKey, bearer("x"), bearer("y"), false},
		"one tenant":      {byTenant, bearer("x", tenant, "t"), bearer("y", tenant, "t"), true},
		"two tenants":     {byTenant, bearer("x", tenant, "t"), bearer("x", tenant, "u"), false},
		"another second tenant": {byTenant, bearer("x", tenant, "t", tenant, "u"),
			bearer("x", tenant, "t"), false},
		"no tenant": {byTenant, bearer("x"), bearer("y"), false},
		"empty tenants": {byTenant, bearer("x", tenant, ""),
			bearer("y", tenant, ""), false},
		"a key by credential":   {ByCredential, bearer(keyA), bearer(keyA, "Cookie", "c"), false},
		"a tenant named as key": {byTenant, bearer("x", tenant, "t"), bearer("t"), false},
	} {
		i := NewIdentity(c.isolation, keyring(), ProcessHash())
		if same := i.Of(c.a) == i.Of(c.b); same != c.same {
			t.Errorf("%s: the same client: %t, want %t", name, same, c.same)
		}
	}
	r := request("Authorization", signed("AKID", "20260101", "aa"))
	NewIdentity(ByCredential, nil, ProcessHash()).Of(r)
	if r.Header.Get("Authorization") != signed("AKID", "20260101", "aa") {
		t.Error("whoever asks whose request it is changes its signature")
	}
	withoutCertificate := request("Authorization", "a")
	withoutCertificate.TLS = &tls.ConnectionState{}
	i := NewIdentity(ByCredential, nil, ProcessHash())
	if i.Of(withoutCertificate) != i.Of(request("Authorization", "a")) {
		t.Error("TLS without a certificate of the client makes two of one client")
	}
}

// A hash says where each part ends, and another process has another one.
func TestHashOfParts(t *testing.T) {
	hash := ProcessHash()
	if hash("a", "bc") == hash("ab", "c") || hash("a", "") == hash("a") {
		t.Error("a hash does not say where its parts end")
	}
	if zeros := strings.Repeat("\x00", 8); hash("a", "b") == hash("a"+zeros+"b") {
		t.Error("a part may contain what ends one")
	}
	if hash("a") == ProcessHash()("a") {
		t.Error("two processes have the same key")
	}
}

// Of a signature the date and the signature are left out, wherever the key id has slashes.
func TestSignersOfRequests(t *testing.T) {
	const region, all = "AKID/x/20260101/us-east-1/bedrock/aws4_request", "AKID/20260101/bedrock/" +
		"aws4_request"
	for credential, want := range map[string]string{
		"AWS4-HMAC-SHA256 SignedHeaders=host, Credential=" + region: "AWS4-HMAC-SHA256 " +
			"AKID/x/us-east-1/bedrock/aws4_request",
		"AWS4-ECDSA-P256-SHA256 Credential=" + all + ", Signature=aa": "AWS4-ECDSA-P256-SHA256 " +
			"AKID/bedrock/aws4_request",
		"AWS4-HMAC-SHA256 Credential=20260101/us-east-1/bedrock/aws4_request": "",
		"AWS4-HMAC-SHA256 Credential=AKID/bedrock/aws4_request":               "",
		"AWS4-HMAC-SHA256 Scope=" + region:                                    "",
		"AWS4-HMAC-SHA256":                                                    "",
		"Bearer Credential=" + region:                                         "",
	} {
		if want == "" {
			want = credential
		}
		if got := signer(credential); got != want {
			t.Errorf("%s: got %s, want %s", credential, got, want)
		}
	}
	for name, c := range map[string]struct {
		r    *http.Request
		want bool
	}{
		"a header":       {request("Authorization", signed("AKID", "20260101", "aa")), true},
		"a query":        {withQuery(request(), "X-Amz-Date=1&X-Amz-Signature=aa"), true},
		"another header": {request("Authorization", "Bearer AWS4-"), false},
		"another query":  {withQuery(request(), "X-Amz-Date=1"), false},
	} {
		if got := Signed(c.r); got != c.want {
			t.Errorf("%s: signed: %t, want %t", name, got, c.want)
		}
	}
}

// A key of ours leaves no header, no item and no parameter that had it; what is beside it stays.
func TestWhereAReplacedKeyStood(t *testing.T) {
	h := request("X-Api-Key", keyA, "X-Goog-Api-Key", keyA, "X-Note", "see", "X-Note", keyA,
		"X-Only", keyA, "X-List", "a, "+keyA, "X-Other", "stays",
		"Sec-WebSocket-Protocol", "a", "Sec-WebSocket-Protocol", "b, k."+keyA+", c",
		"Sec-WebSocket-Protocol", "k."+keyA).Header
	Replace(h, "operator", keyA, InXGoogAPIKey)
	want := map[string]string{"X-Goog-Api-Key": "operator", "X-Note": "see", "X-Other": "stays",
		"Sec-Websocket-Protocol": "a|b, c"}
	for name, values := range h {
		if strings.Join(values, "|") != want[name] {
			t.Errorf("%s: %q, want %q", name, values, want[name])
		}
	}
	if len(h) != len(want) {
		t.Errorf("headers %v, want those of %v", h, want)
	}
	own := request("X-Other", "stays").Header
	if Replace(own, "operator", "", AsSent); own.Get("X-Other") != "stays" {
		t.Error("where no key is replaced, another header is gone")
	}
	proxied := request("Proxy-Authorization", "a", "Authorization", "b").Header
	if got := Credentials(proxied); len(got) != 1 {
		t.Errorf("got %v, want one credential", got)
	}
	if got := QueryWithout("a=%zz&k=an%2Dinbound-key-of-team-a&b="+keyA, keyA); got != "a=%zz" {
		t.Errorf("got the query %q", got)
	}
	if got := QueryWithout("k=%zz"+keyA, keyA); got != "" {
		t.Errorf("a query that cannot be decoded: %q", got)
	}
	if got := QueryWithoutKey("monkey=1&key=2&k%65y=3"); got != "monkey=1" {
		t.Errorf("got the query %q", got)
	}
	trailer := http.Header{"X-Two": {"a", "it is " + keyA}}
	if StripTrailer(trailer, keyA); len(trailer["X-Two"]) != 1 {
		t.Errorf("got the trailer %v, want a", trailer)
	}
	trailer = http.Header{"X-Empty": {""}}
	if StripTrailer(trailer, ""); len(trailer) != 1 {
		t.Error("a field of a trailer is gone, and no key is replaced")
	}
}

func TestKeysOfUpstreamsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		key  Key
		want bool
	}{
		"good":            {Key{Name: "a ~", Upstreams: map[string]string{"u": "k"}}, true},
		"a line break":    {Key{Name: "a", Upstreams: map[string]string{"u": "hunter2\n"}}, false},
		"a deleted name":  {Key{Name: "a\x7f"}, false},
		"a name in color": {Key{Name: "\x1b[1m"}, false},
	} {
		err := errors.Join(Keys{c.key}.Faults()...)
		if (err == nil) != c.want || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if Keys(nil).Required() || !keyring().Required() {
		t.Error("a key is required where there are none, or none where there are")
	}
	google := request("X-Goog-Api-Key", keyA)
	if key, text, err := keyring().Find(google); err != nil || key.Name != "a" || text != keyA {
		t.Errorf("in Google's header: %v", err)
	}
	long := Keys{{Name: "long", SHA256: sha256.Sum256([]byte("sixteen bytes 16"))}}
	if _, _, err := long.Find(request("Api-Key", "sixteen bytes 16")); err != nil {
		t.Errorf("a key of the least length: %v", err)
	}
}
