package fleet

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
	"killick/internal/testcert"
)

// minRights are those that docs/reliability.md says are enough for replicas.
func minRights(t testing.TB) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s*user killick on >PASSWORD (.*)$`).FindSubmatch(page)
	if found == nil {
		t.Fatal("docs/reliability.md does not say which rights replicas need")
	}
	return string(found[1])
}

const password = "zqpasswordzq"

// A user who may do no more than docs/reliability.md says is enough for all that replicas do.
func TestLeastRights(t *testing.T) {
	noLeaks(t)
	u, shared := newUpstream(t), newStore(t)
	shared.tell(t, append([]string{"ACL", "SETUSER", "killick", "on", ">" + password},
		strings.Fields(minRights(t))...)...)
	shared.tell(t, "ACL", "SETUSER", "default", "resetkeys", "-@all", "+acl", "+ping")
	c := settings(u.URL+"/v1", strings.Replace(shared.url(), "//", "//killick@", 1))
	c.Cache.Password = config.Secret(password)
	all := startAll(t, 2, c)
	s := written(t, spellings[0], "ann", 30)
	got := s.run(t, u, all, nil)
	s.found(t, all, got)
	for _, r := range all {
		for _, a := range []proxytest.Answer{
			r.Ask(t, http.MethodDelete, "/killick/conversations", s.requests[29],
				s.header()...),
			r.Ask(t, http.MethodDelete, "/killick/data", nil, s.header()...),
			proxytest.Ask(t, http.MethodDelete, r.Admin+"/killick/data", nil),
		} {
			if a.Status != http.StatusOK {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		for _, m := range []string{"refused", "dropped"} {
			if n := r.Total(t, "shared_store_"+m+"_total"); n > 0 {
				t.Errorf("%s: %v; %s\n%s", m, n, shared.tell(t, "ACL", "LOG"), r.log)
			}
		}
		r.Stop()
	}
	if log := shared.tell(t, "ACL", "LOG"); log != "" {
		t.Errorf("commands were refused: %s", log)
	}
}

// A first start with a wrong password ends with an error that says what the store answered, and
// quotes no password.
func TestWrongPassword(t *testing.T) {
	noLeaks(t)
	u, shared := newUpstream(t), newStore(t, "--requirepass", password)
	for name, url := range map[string]string{
		"WRONGPASS": "redis://:zqwrongzq@" + shared.addr(),
		"NOAUTH":    shared.url(),
	} {
		c := settings(u.URL+"/v1", url)
		c.Cache.Dir = filepath.Join(t.TempDir(), "store")
		_, err := serve(t, c)
		if err == nil || !strings.Contains(err.Error(), name) ||
			strings.Contains(err.Error(), "zqwrong") {
			t.Errorf("%v, want an error with %s", err, name)
		}
	}
}

// Over TLS a replica trusts the authority that it was given, and no other.
func TestTLS(t *testing.T) {
	noLeaks(t)
	cert := testcert.New(t, "store")
	u := newUpstream(t)
	shared := &store{port: freePort(t), dir: t.TempDir(), host: "127.0.0.1"}
	secure := freePort(t)
	shared.args = []string{"--tls-port", itoa(secure), "--tls-cert-file", cert.Cert,
		"--tls-key-file", cert.Key, "--tls-ca-cert-file", cert.Cert, "--tls-auth-clients", "no",
		"--requirepass", password}
	shared.launch(t)
	shared.await(t)
	c := settings(u.URL+"/v1", "rediss://:"+password+"@127.0.0.1:"+itoa(secure))
	c.Cache.Dir = filepath.Join(t.TempDir(), "store")
	if _, err := serve(t, c); err == nil || !strings.Contains(err.Error(), "certificate") ||
		strings.Contains(err.Error(), password) {
		t.Errorf("%v, want an error about the certificate", err)
	}
	c.Cache.CAFile = cert.Cert
	all := startAll(t, 2, c)
	s := written(t, spellings[0], "ann", 20)
	s.found(t, all, s.run(t, u, all, nil))
	for _, r := range all {
		if strings.Contains(r.log.String(), password) {
			t.Error("the log holds the password")
		}
		r.Stop()
	}
}
