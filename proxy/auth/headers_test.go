package auth

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"
)

// signed is a credential that AWS Signature Version 4 makes.
func signed(key, date, signature string) string {
	return "AWS4-HMAC-SHA256 Credential=" + key + "/" + date + "/us-east-1/bedrock/aws4_request, " +
		"SignedHeaders=host;x-amz-date, Signature=" + signature
}

// What is the same client, however its requests differ.
func TestRequestsOfOneClient(t *testing.T) {
	i := NewIdentity(ByCredential, nil, ProcessHash())
	for name, pair := range map[string][2]*http.Request{
		"other headers": {request("Authorization", "a"),
			request("Authorization", "a", "User-Agent", "x", "X-Request-Id", "1")},
		"the key of a request": {request("Authorization", "a", "Idempotency-Key", "1"),
			request("Authorization", "a", "Idempotency-Key", "2")},
		"cookies of a load balancer": {request("Cookie", "sid=a; AWSALB=1", "Cookie", "__cf_bm=1"),
			request("Cookie", "__cf_bm=2; sid=a")},
		"only such cookies": {request(), request("Cookie", "__cf_bm=2")},
		"another signature": {request("Authorization", signed("AKID", "20260101", "aa")),
			request("Authorization", signed("AKID", "20260102", "bb"))},
		"the version of an API": {request("Authorization", "a"),
			withQuery(request("Authorization", "a"), "api-version=1&beta=true")},
	} {
		if i.Of(pair[0]) != i.Of(pair[1]) {
			t.Errorf("%s makes two of one client", name)
		}
	}
}

// What says who a client is in a way of its own.
func TestClientsThatAreTwo(t *testing.T) {
	i := NewIdentity(ByCredential, nil, ProcessHash())
	for name, pair := range map[string][2]*http.Request{
		"another key that signs": {request("Authorization", signed("AKID1", "20260101", "aa")),
			request("Authorization", signed("AKID2", "20260101", "aa"))},
		"a second credential after a signature": {
			request("Authorization", signed("AKID", "20260101", "aa")),
			request("Authorization", signed("AKID", "20260101", "aa"), "Authorization", "b")},
		"a scheme that is not understood": {request("Authorization", "AWS4-HMAC-SHA256 a"),
			request("Authorization", "AWS4-HMAC-SHA256 b")},
		"a session beside another's cookies": {request("Cookie", "__cf_bm=2; sid=a"),
			request("Cookie", "__cf_bm=2; sid=b")},
		"the name of a header and its value": {request("X-Aa-Key", "b"),
			request("X-Aa", "b", "X-Ab-Key", "b")},
		"a parameter": {withQuery(request(), "api-version=1&k=a"),
			withQuery(request(), "k=b")},
		"a query that nobody can read": {withQuery(request(), "%zz"),
			withQuery(request(), "%zy")},
		"a certificate": {withCertificate(request(), "a"),
			withCertificate(request(), "b")},
		"a certificate and none": {withCertificate(request(), "a"), request()},
	} {
		if i.Of(pair[0]) == i.Of(pair[1]) {
			t.Errorf("%s does not tell two clients apart", name)
		}
	}
}

// Whoever knows the id of a key may write it into a header: only an upstream verifies the rest.
func TestSignaturesOpenNothingOfOurs(t *testing.T) {
	i := NewIdentity(ByCredential, nil, ProcessHash())
	r := request("Authorization", signed("AKID", "20260101", "aa"))
	forged := request("Authorization", signed("AKID", "20260101", "bb"))
	if who := i.OfUnforwarded(forged); who == i.Of(r) || who == i.OfUnforwarded(r) {
		t.Error("a forged signature asks for the data of the key")
	}
	if plain := request("Authorization", "Bearer a"); i.OfUnforwarded(plain) != i.Of(plain) {
		t.Error("a key does not open its own data")
	}
}

func TestTrailersOfRequests(t *testing.T) {
	trailer := http.Header{"Authorization": {"a"}, "X-Any-Api-Key": nil, "Cookie": {"a"},
		"X-Note": {"it is " + keyA}, "X-Sum": {"42"}, "X-Late": nil}
	StripTrailer(trailer, keyA)
	if len(trailer) != 2 || trailer.Get("X-Sum") != "42" || trailer["X-Late"] != nil {
		t.Errorf("left is %v, want the checksum and what did not come yet", trailer)
	}
}

func withQuery(r *http.Request, raw string) *http.Request {
	r.URL.RawQuery = raw
	return r
}

func withCertificate(r *http.Request, key string) *http.Request {
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{
		{RawSubject: []byte("one name"), RawSubjectPublicKeyInfo: []byte(key)},
	}}
	return r
}
