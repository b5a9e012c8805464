package auth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// saysWho reports whether a header, by its canonical name, may say who a client is: what it holds
// by its last word, or one of clientHeaders. Gateways invent names of their own, so a name that is
// not known counts: at worst one client is taken for two, and never two for one.
func saysWho(name string) bool {
	if clientHeaders[name] {
		return true
	}
	switch strings.ToLower(name[strings.LastIndexAny(name, "-_")+1:]) {
	case "authorization", "auth", "key", "apikey", "token", "secret", "password", "credential",
		"credentials", "assertion", "jwt":
		return !requestHeaders[name]
	}
	return false
}

// clientHeaders are those whose last word does not say it.
var clientHeaders = set(
	"Cookie",
	// An account, or a user, of a key that several share: platform.openai.com/docs,
	// cloud.google.com/apis/docs/system-parameters, portkey.ai/docs, docs.helicone.ai,
	// docs.openwebui.com, and openai/codex (core/src/client.rs) for the account of ChatGPT.
	"Openai-Organization", "Openai-Project", "Chatgpt-Account-Id", "X-Goog-User-Project",
	"X-Portkey-Config", "Helicone-User-Id", "X-Openwebui-User-Id", "X-Tenant-Id",
	// Whom a gateway in front has let in: developers.cloudflare.com/cloudflare-one,
	// oauth2-proxy.github.io, cloud.google.com/iap, learn.microsoft.com (App Service),
	// docs.aws.amazon.com (load balancers), docs.konghq.com, tailscale.com/kb.
	"Cf-Access-Client-Id", "Cf-Access-Authenticated-User-Email",
	"X-Forwarded-User", "X-Forwarded-Email", "X-Auth-Request-User", "X-Auth-Request-Email",
	"Remote-User", "X-Remote-User", "X-Goog-Authenticated-User-Id",
	"X-Ms-Client-Principal-Id", "X-Amzn-Oidc-Identity", "X-Consumer-Id",
	"X-Credential-Identifier", "Tailscale-User-Login",
	// Its certificate, where a gateway in front has checked it: RFC 9440, www.envoyproxy.io.
	"Client-Cert", "X-Forwarded-Client-Cert", "X-Amzn-Mtls-Clientcert-Leaf",
	"X-Amzn-Mtls-Clientcert-Serial-Number",
)

// requestHeaders differ from one request of a client to the next.
var requestHeaders = set("Idempotency-Key", "X-Idempotency-Key", "Sec-Websocket-Key",
	"X-Csrf-Token", "X-Xsrf-Token", "Csrf-Token")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// whoHeaders returns the names of the headers that may say who a client is, sorted.
func whoHeaders(h http.Header) (names []string) {
	for name := range h {
		if saysWho(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// StripTrailer removes from the trailer of a request what says who the client is: that belongs
// into the header (RFC 9110, 6.5.1), where it is read and replaced. replaced is an inbound key
// that goes nowhere, "" for none.
func StripTrailer(trailer http.Header, replaced string) {
	for name := range trailer {
		if saysWho(http.CanonicalHeaderKey(name)) {
			delete(trailer, name)
		}
	}
	if replaced == "" {
		return
	}
	for name, values := range trailer {
		// One that is announced and did not come yet has no values.
		if kept := without(values, replaced); len(kept) < len(values) {
			if trailer[name] = kept; len(kept) == 0 {
				delete(trailer, name)
			}
		}
	}
}

// passing are cookies of load balancers and of protection against bots. They say which machine
// answers, and change with every reply: developers.cloudflare.com/fundamentals/reference,
// docs.aws.amazon.com (sticky sessions), cloud.google.com/load-balancing, learn.microsoft.com.
var passing = set("__cf_bm", "_cfuvid", "__cflb", "AWSALB", "AWSALBCORS", "AWSALBTG",
	"AWSALBTGCORS", "AWSELB", "AWSELBCORS", "GCLB", "ARRAffinity", "ARRAffinitySameSite",
	"ApplicationGatewayAffinity", "ApplicationGatewayAffinityCORS")

// cookies returns the cookies that may say who a client is.
func cookies(values []string) (kept []string) {
	for _, value := range values {
		for cookie := range strings.SplitSeq(value, ";") {
			cookie = strings.TrimSpace(cookie)
			if name, _, _ := strings.Cut(cookie, "="); cookie != "" && !passing[name] {
				kept = append(kept, cookie)
			}
		}
	}
	return kept
}

// common are parameters of a query that say nothing of who the client is: the version of an API
// (Azure), its betas (Anthropic's clients), the form of a reply (Google's, and our own).
var common = set("api-version", "beta", "alt", "$alt", "format")

// query returns the parameters that may say who a client is, as they were sent.
func query(raw string) string {
	var kept []string
	for param := range strings.SplitSeq(raw, "&") {
		name, _, _ := strings.Cut(param, "=")
		if text, err := url.QueryUnescape(name); err == nil && (text == "" || common[text]) {
			continue
		}
		kept = append(kept, param)
	}
	return strings.Join(kept, "&")
}

// signer returns what stays the same from one request to the next of a credential that AWS
// Signature Version 4 made: the scheme, the id of the key, region and service, without the date
// and the signature. It is the whole of any other, and of one that is not understood.
// Source: docs.aws.amazon.com/IAM, "Elements of an AWS API request signature".
func signer(credential string) string {
	scheme, fields, ok := strings.Cut(credential, " ")
	if !ok || !strings.HasPrefix(scheme, "AWS4-") {
		return credential
	}
	for field := range strings.SplitSeq(fields, ",") {
		scope, ok := strings.CutPrefix(strings.TrimSpace(field), "Credential=")
		if parts := strings.Split(scope, "/"); ok && len(parts) >= 4 {
			// The id may hold slashes in other implementations; date, region, service and
			// the terminator are the last, of Signature 4A without the region.
			last := 4
			if !strings.HasPrefix(scheme, "AWS4-HMAC-") {
				last = 3
			}
			if at := len(parts) - last; at > 0 {
				return scheme + " " + strings.Join(slices.Delete(parts, at, at+1), "/")
			}
		}
	}
	return credential
}
