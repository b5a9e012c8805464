package auth

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const (
	keyA = "an-inbound-key-of-team-a"
	keyB = "an-inbound-key-of-team-b"
)

func keyring() Keys {
	return Keys{
		{Name: "a", SHA256: sha256.Sum256([]byte(keyA))},
		{Name: "b", SHA256: sha256.Sum256([]byte(keyB)), Upstream: "upstream-key"},
		{Name: "short", SHA256: sha256.Sum256([]byte("short"))},
	}
}

func request(headers ...string) *http.Request {
	r := httptest.NewRequest("POST", "/v1/chat/completions", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestKeysAreFoundWhereClientsSendThem(t *testing.T) {
	for name, test := range map[string]struct {
		headers []string
		want    string
		err     error
	}{
		"bearer":             {[]string{"Authorization", "Bearer " + keyA}, "a", nil},
		"in lower case":      {[]string{"Authorization", "bearer " + keyB}, "b", nil},
		"Azure's header":     {[]string{"Api-Key", keyA}, "a", nil},
		"Anthropic's header": {[]string{"X-Api-Key", keyB}, "b", nil},
		"a browser's socket": {
			[]string{"Sec-WebSocket-Protocol", "realtime, openai-insecure-api-key." + keyA},
			"a", nil,
		},
		"the second of two": {[]string{"Authorization", "Bearer x", "Api-Key", keyB}, "b", nil},
		"the fifth":         {append(other(4), "Api-Key", keyA), "", ErrUnknownKey},
		"the fourth":        {append(other(3), "Api-Key", keyA), "a", nil},
		"none":              {nil, "", ErrNoKey},
		"another scheme":    {[]string{"Authorization", "Basic " + keyA}, "", ErrNoKey},
		"unknown":           {[]string{"Authorization", "Bearer " + keyA + "x"}, "", ErrUnknownKey},
		"too short to be one": {
			[]string{"Authorization", "Bearer short"}, "", ErrUnknownKey,
		},
	} {
		key, _, err := keyring().Find(request(test.headers...))
		if !errors.Is(err, test.err) || (key == nil) != (test.want == "") ||
			key != nil && key.Name != test.want {
			t.Errorf("%s: got %v, %v; want %q, %v", name, key, err, test.want, test.err)
		}
	}
}

// other are n credentials that are not keys.
func other(n int) (headers []string) {
	for range n {
		headers = append(headers, "Authorization", "Bearer another")
	}
	return headers
}

func TestFaultsOfKeysQuoteNone(t *testing.T) {
	bad := Keys{
		{Name: ""}, {Name: "a\nb"},
		{Name: "twice", SHA256: [32]byte{1}}, {Name: "twice", SHA256: [32]byte{2}},
		{Name: "same", SHA256: [32]byte{1}},
		{Name: "broken", SHA256: [32]byte{3}, Upstream: "hunter2\r\n"},
	}
	err := errors.Join(bad.Faults()...)
	for _, want := range []string{`""`, `"a\nb"`, "two have the name twice", "same", "broken"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %s among the faults, got %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a key is quoted: %v", err)
	}
	if faults := keyring().Faults(); faults != nil {
		t.Errorf("good keys have faults: %v", faults)
	}
}

func TestNamedIsWhoSendsUnderThatName(t *testing.T) {
	hash := func(parts ...string) string { return strings.Join(parts, "|") }
	for _, test := range []struct {
		isolation, name string
		request         *http.Request
		ok              bool
	}{
		{ByInboundKey, "a", request("Authorization", "Bearer "+keyA), true},
		{ByHeader + "x-tenant", "t", request("X-Tenant", "t"), true},
		{ByCredential, "a", request("Authorization", "Bearer "+keyA), false},
	} {
		i := NewIdentity(test.isolation, keyring(), hash)
		who, ok := i.Named(test.name)
		if ok != test.ok || ok && who != i.Of(test.request) {
			t.Errorf("%s: got %q, %t; the sender is %q",
				test.isolation, who, ok, i.Of(test.request))
		}
	}
}

func TestAnInboundKeyThatIsReplacedGoesNowhere(t *testing.T) {
	h := request("Authorization", "Bearer "+keyA, "X-Also", "a="+keyA, "X-Other", "stays",
		"Sec-WebSocket-Protocol", "realtime, openai-insecure-api-key."+keyA).Header
	Replace(h, "operator", keyA, AsSent)
	if got := h.Get("Authorization"); got != "Bearer operator" {
		t.Errorf("got the credential %q", got)
	}
	if got := h.Get("Sec-WebSocket-Protocol"); got != "realtime" {
		t.Errorf("got the protocols %q", got)
	}
	if h.Get("X-Also") != "" || h.Get("X-Other") != "stays" {
		t.Errorf("got %v", h)
	}
	const query, want = "model=m&key=" + keyA + "&n=1", "model=m&n=1"
	if got := QueryWithout(query, keyA); got != want {
		t.Errorf("got the query %q, want %q", got, want)
	}
}

func TestHeadersOfAnUpstreamsKey(t *testing.T) {
	for where, want := range map[KeyHeader]string{
		InAuthorization: "Authorization: Bearer operator", AsSent: "Authorization: Bearer operator",
		InXAPIKey: "X-Api-Key: operator", InAPIKey: "Api-Key: operator",
	} {
		h := request("Authorization", "Bearer a", "Api-Key", "b", "X-Api-Key", "c").Header
		Replace(h, "operator", "", where)
		var got []string
		for name, values := range h {
			got = append(got, name+": "+strings.Join(values, ", "))
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", where, got, want)
		}
	}
}

// Nothing of what the client authenticates with elsewhere, or authenticated with, goes along.
func TestACredentialIsReplacedWhole(t *testing.T) {
	h := request("Authorization", signed("AKID", "20260101", "aa"), "X-Amz-Security-Token", "s",
		"Cookie", "sid=a; AWSALB=1", "Cookie", "sid=b", "Cookie", "GCLB=2;__cf_bm=3",
		"Sec-WebSocket-Protocol", "realtime, openai-insecure-api-key.sk-own, openai-beta.v1").Header
	Replace(h, "operator", "", AsSent)
	for name, want := range map[string]string{"Authorization": "Bearer operator",
		"X-Amz-Security-Token": "", "Cookie": "AWSALB=1|GCLB=2;__cf_bm=3",
		"Sec-Websocket-Protocol": "realtime, openai-beta.v1"} {
		if got := strings.Join(h[name], "|"); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	h = request("Cookie", "sid=a", "Sec-WebSocket-Protocol", "openai-insecure-api-key.sk").Header
	if Replace(h, "operator", "", AsSent); len(h) != 1 {
		t.Errorf("got %v", h)
	}
}

// What a call of ours goes with says who the client is and in which version the API is asked. The
// version does not say who the client is.
func TestCredentialsWithTheirVersion(t *testing.T) {
	r := request("X-Api-Key", "k", "Anthropic-Version", "2023-06-01", "Anthropic-Beta", "a,b",
		"Cookie", "c", "X-App", "cli")
	got := Credentials(r.Header)
	if len(got) != 3 || got.Get("X-Api-Key") != "k" || got.Get("Anthropic-Beta") != "a,b" ||
		got.Get("Anthropic-Version") != "2023-06-01" {
		t.Errorf("%v, want the key, the version and the betas", got)
	}
	i := NewIdentity(ByCredential, nil, ProcessHash())
	if i.Of(r) != i.Of(request("X-Api-Key", "k", "Anthropic-Beta", "c", "Cookie", "c")) {
		t.Error("betas make another client of the same key")
	}
}
