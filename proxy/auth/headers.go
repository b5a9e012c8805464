package auth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// mayIdentify reports whether a header, by its canonical name, may identify a client: by the last
// word of its name, or as one of clientHeaders. Gateways invent their own names, so unknown names
// count: at worst one client is split into two, and two are never merged into one.
func mayIdentify(name string) bool {
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

// clientHeaders are identifying headers whose last word does not show it.
var clientHeaders = set(
	"Cookie",
	// An account, or a user, of a key that several share: platform.openai.com/docs,
	// cloud.google.com/apis/docs/system-parameters, portkey.ai/docs, docs.helicone.ai,
	// docs.openwebui.com, and openai/codex (core/src/client.rs) for the account of ChatGPT.
	"Openai-Organization", "Openai-Project", "Chatgpt-Account-Id", "X-Goog-User-Project",
	"X-Portkey-Config", "Helicone-User-Id", "X-Openwebui-User-Id", "X-Tenant-Id",
	// The user that a gateway in front has authenticated: developers.cloudflare.com/cloudflare-one,
	// oauth2-proxy.github.io, cloud.google.com/iap, learn.microsoft.com (App Service),
	// docs.aws.amazon.com (load balancers), docs.konghq.com, tailscale.com/kb.
	"Cf-Access-Client-Id", "Cf-Access-Authenticated-User-Email",
	"X-Forwarded-User", "X-Forwarded-Email", "X-Auth-Request-User", "X-Auth-Request-Email",
	"Remote-User", "X-Remote-User", "X-Goog-Authenticated-User-Id",
	"X-Ms-Client-Principal-Id", "X-Amzn-Oidc-Identity", "X-Consumer-Id",
	"X-Credential-Identifier", "Tailscale-User-Login",
	// Its certificate, if a gateway in front has verified it: RFC 9440, www.envoyproxy.io.
	"Client-Cert", "X-Forwarded-Client-Cert", "X-Amzn-Mtls-Clientcert-Leaf",
	"X-Amzn-Mtls-Clientcert-Serial-Number",
)

// requestHeaders change with every request of a client.
var requestHeaders = set("Idempotency-Key", "X-Idempotency-Key", "Sec-Websocket-Key",
	"X-Csrf-Token", "X-Xsrf-Token", "Csrf-Token")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// identifyingHeaders returns the sorted names of the headers that may identify a client.
func identifyingHeaders(h http.Header) (names []string) {
	for name := range h {
		if mayIdentify(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// StripTrailer removes identifying fields from the trailer of a request: they belong in the header
// (RFC 9110, 6.5.1), where they are read and replaced. replaced is an inbound key that must not be
// forwarded, "" for none.
func StripTrailer(trailer http.Header, replaced string) {
	for name := range trailer {
		if mayIdentify(http.CanonicalHeaderKey(name)) {
			delete(trailer, name)
		}
	}
	if replaced == "" {
		return
	}
	for name, values := range trailer {
		// An announced field that has not arrived yet has no values.
		if kept := without(values, replaced); len(kept) < len(values) {
			if trailer[name] = kept; len(kept) == 0 {
				delete(trailer, name)
			}
		}
	}
}

// passing are cookies of load balancers and bot protection. They identify the machine that answers,
// and change with every reply: developers.cloudflare.com/fundamentals/reference,
// docs.aws.amazon.com (sticky sessions), cloud.google.com/load-balancing, learn.microsoft.com.
var passing = set("__cf_bm", "_cfuvid", "__cflb", "AWSALB", "AWSALBCORS", "AWSALBTG",
	"AWSALBTGCORS", "AWSELB", "AWSELBCORS", "GCLB", "ARRAffinity", "ARRAffinitySameSite",
	"ApplicationGatewayAffinity", "ApplicationGatewayAffinityCORS")

// identifies reports whether a cookie may identify a client.
func identifies(cookie string) bool {
	name, _, _ := strings.Cut(cookie, "=")
	return !passing[name]
}

// cookies returns the cookies that may identify a client.
func cookies(values []string) (kept []string) {
	for _, value := range values {
		for cookie := range strings.SplitSeq(value, ";") {
			cookie = strings.TrimSpace(cookie)
			if cookie != "" && identifies(cookie) {
				kept = append(kept, cookie)
			}
		}
	}
	return kept
}

// common are query parameters that do not identify a client: the version of an API
// (Azure), its betas (Anthropic's clients), the form of a reply (Google's, and our own).
var common = set("api-version", "beta", "alt", "$alt", "format")

// query returns the parameters that may identify a client, as sent.
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

// signature4 begins the credentials of AWS Signature Version 4 and 4A.
const signature4 = "AWS4-"

// Signed reports whether a request is signed with its body, in its header or its query. Source:
// docs.aws.amazon.com/IAM, "Elements of an AWS API request signature".
func Signed(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Authorization"), signature4) ||
		strings.Contains(r.URL.RawQuery, "X-Amz-Signature=")
}

// signer returns the constant part of an AWS Signature Version 4 credential: the scheme, the key
// id, region and service, without the date and the signature. Other credentials are returned whole.
// Source: docs.aws.amazon.com/IAM, "Elements of an AWS API request signature".
func signer(credential string) string {
	scheme, fields, ok := strings.Cut(credential, " ")
	if !ok || !strings.HasPrefix(scheme, signature4) {
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

func without(values []string, key string) (kept []string) {
	for _, v := range values {
		if !strings.Contains(v, key) {
			kept = append(kept, v)
		}
	}
	return kept
}
