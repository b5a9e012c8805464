package proxy

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"killick/proxy/cors"
)

const page = "https://app.example"

func from(origins ...string) func(*Options) {
	return func(o *Options) { o.CORS.Origins = origins }
}

// corsHeaders are those of CORS on a reply.
func corsHeaders(h http.Header) (list []string) {
	for name, values := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			list = append(list, name+": "+strings.Join(values, "|"))
		}
	}
	slices.Sort(list)
	return list
}

// TestCORSIsTheUpstreamsUnlessConfigured: preflights reach it and what it says
// passes.
func TestCORSIsTheUpstreamsUnlessConfigured(t *testing.T) {
	up := &recorder{answer: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "https://upstream.example")
		w.WriteHeader(http.StatusNoContent)
	}}
	r := newRig(t, up)
	a := r.do(r.request("OPTIONS", chatPath, nil, "Origin", page, "Access-Control-Request-Method",
		"POST"))
	if got := up.last(); got.Request.Method != "OPTIONS" || got.Header.Get("Origin") != page ||
		a.StatusCode != 204 ||
		!slices.Equal(corsHeaders(a.Header), []string{"Access-Control-Allow-Origin: " +
			"https://upstream.example"}) {
		t.Errorf("got %d, %v; the upstream %v", a.StatusCode, a.Header, got.Header)
	}
	if a := r.chat("{}", "Origin", page); !slices.Equal(corsHeaders(a.Header),
		[]string{"Access-Control-Allow-Origin: https://upstream.example"}) {
		t.Errorf("got %v", a.Header)
	}
}

func TestPreflightsAreAnswered(t *testing.T) {
	up := new(recorder)
	for name, test := range map[string]struct {
		set    func(*Options)
		origin string
		status int
		want   []string
	}{
		"a named origin": {from("https://other.example", page), page, 204, []string{
			"Access-Control-Allow-Headers: authorization, content-type, x-stainless-lang",
			"Access-Control-Allow-Methods: POST",
			"Access-Control-Allow-Origin: " + page, "Access-Control-Max-Age: 600"}},
		"with cookies": {func(o *Options) {
			o.CORS = cors.Policy{Origins: []string{page},
				Credentials: true, MaxAge: time.Hour}
		}, page, 204, []string{
			"Access-Control-Allow-Credentials: true",
			"Access-Control-Allow-Headers: authorization, content-type, x-stainless-lang",
			"Access-Control-Allow-Methods: POST", "Access-Control-Allow-Origin: " + page,
			"Access-Control-Max-Age: 3600"}},
		"any origin": {from("*"), page, 204, []string{
			"Access-Control-Allow-Headers: authorization, content-type, x-stainless-lang",
			"Access-Control-Allow-Methods: POST",
			"Access-Control-Allow-Origin: *", "Access-Control-Max-Age: 600"}},
		"another origin":   {from(page), "https://evil.example", 403, nil},
		"another port":     {from(page), page + ":8443", 403, nil},
		"a longer name":    {from(page), page + ".evil.example", 403, nil},
		"of another shape": {from(page), "null", 403, nil},
	} {
		r := newRig(t, up, test.set)
		for _, path := range []string{chatPath, "/v1/files", "/killick/outputs/x"} {
			a := r.do(r.request("OPTIONS", path, nil, "Origin", test.origin,
				"Access-Control-Request-Method", "POST",
				"Access-Control-Request-Headers", "authorization, content-type, x-stainless-lang"))
			if a.StatusCode != test.status || !slices.Equal(corsHeaders(a.Header), test.want) ||
				!strings.Contains(a.Header.Get("Vary"), "Origin") {
				t.Errorf("%s, %s: got %d %q, Vary %q", name, path, a.StatusCode,
					corsHeaders(a.Header), a.Header.Get("Vary"))
			}
		}
	}
	if up.count() != 0 {
		t.Errorf("%d preflights reached the upstream", up.count())
	}
	r := newRig(t, up, from(page))
	if a := r.do(r.request("OPTIONS", "/v1/models", nil, "Origin", page)); a.StatusCode != 200 ||
		up.count() != 1 {
		t.Errorf("an OPTIONS that is no preflight: got %d, %d reached the upstream", a.StatusCode,
			up.count())
	}
}

// TestRepliesToPagesAreMarked: also errors of ours and our own paths, also after
// an informational reply, and once only.
func TestRepliesToPagesAreMarked(t *testing.T) {
	r := newRig(t, &recorder{answer: func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Credentials", "true")
		w.Header().Set("Vary", "Accept-Encoding")
		w.Header().Set("X-Request-Id", "r")
		w.Header().Set("Set-Cookie", "a=1")
		_, _ = io.WriteString(w, "{}")
	}}, unchanged, from(page), func(o *Options) { o.MaxBody = 100 })
	for name, a := range map[string]answer{
		"a reply":        r.chat("{}", "Origin", page),
		"an error":       r.chat(strings.Repeat("x", 1000), "Origin", page),
		"one of our own": r.do(r.request("GET", "/killick/version", nil, "Origin", page)),
	} {
		exposed := strings.Split(a.Header.Get("Access-Control-Expose-Headers"), ", ")
		if a.Header.Get("Access-Control-Allow-Origin") != page ||
			a.Header["Access-Control-Allow-Credentials"] != nil ||
			!slices.Contains(a.Header.Values("Vary"), "Origin") ||
			slices.Contains(exposed, "Set-Cookie") {
			t.Errorf("%s: got %v", name, a.Header)
		}
		for want, on := range map[string]bool{"Killick-Action": name != "one of our own",
			"X-Request-Id": name == "a reply"} {
			if slices.Contains(exposed, want) != on {
				t.Errorf("%s: exposed are %q", name, exposed)
			}
		}
	}
	for name, header := range map[string][]string{"another page": {"Origin",
		"https://evil.example"}, "no page": nil} {
		if a := r.chat("{}", header...); len(corsHeaders(a.Header)) != 0 ||
			!slices.Contains(a.Header.Values("Vary"), "Origin") {
			t.Errorf("%s: got %v", name, a.Header)
		}
	}
}

func TestCORSSettingsAreChecked(t *testing.T) {
	for _, bad := range []cors.Policy{
		{Origins: []string{"app.example"}}, {Origins: []string{"https://app.example/"}},
		{Origins: []string{"https://App.example"}},
		{Origins: []string{"null"}}, {Origins: []string{"*"}, Credentials: true},
		{Origins: []string{""}},
	} {
		if errs := bad.Faults(); len(errs) != 1 {
			t.Errorf("%+v: %v", bad, errs)
		}
	}
	good := cors.Policy{Origins: []string{"*", page, "http://[::1]:3000", "app://desktop"}}
	if errs := good.Faults(); len(errs) != 0 {
		t.Errorf("%+v: %v", good, errs)
	}
}
