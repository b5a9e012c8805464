package shared

import (
	"crypto/sha256"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// agree has a replica agree with others at a server.
func agree(
	t *testing.T, server string, own Secret, key string,
) (text string, agreed bool, err error) {
	t.Helper()
	o := Options{URL: "redis://" + server, Timeout: time.Second,
		Logger: slog.New(slog.DiscardHandler)}
	if key != "" {
		sum := sha256.Sum256([]byte(key))
		o.EncryptionKey = sum[:]
	}
	c, err := Dial(o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.Agree(t.Context(), own)
}

func TestReplicasAgree(t *testing.T) {
	const one, two = "the secret of one, long enough", "the secret of two, long enough"
	type replica struct {
		own  Secret
		key  string
		want string // "" means the secret in the store
	}
	for name, c := range map[string]struct {
		first, second replica
		fault         string
	}{
		"neither has one": {replica{}, replica{}, ""},
		"the first has one": {replica{own: Secret{Text: one}, want: one},
			replica{want: one}, ""},
		"both have one": {replica{own: Secret{Text: one}, want: one},
			replica{own: Secret{Text: two}, want: one}, ""},
		"both are given the same": {replica{own: Secret{one, true}, want: one},
			replica{own: Secret{one, true}, want: one}, ""},
		"given others": {replica{own: Secret{one, true}, want: one},
			replica{own: Secret{two, true}}, "another cache.secret_file"},
		"one is given": {replica{own: Secret{one, true}, want: one}, replica{},
			"another cache.secret_file"},
		"the other is given": {replica{}, replica{own: Secret{one, true}},
			"another cache.secret_file"},
		"one key":    {replica{key: "k"}, replica{key: "k"}, ""},
		"other keys": {replica{key: "k"}, replica{key: "l"}, "another cache.encryption_key_file"},
		"no key":     {replica{key: "k"}, replica{}, "had, a cache.encryption_key_file"},
		"a key":      {replica{}, replica{key: "k"}, "had, no cache.encryption_key_file"},
		"given, other keys": {replica{own: Secret{one, true}, key: "k", want: one},
			replica{own: Secret{one, true}, key: "l"}, "cache.encryption_key_file"},
	} {
		t.Run(name, func(t *testing.T) {
			server := miniredis.RunT(t)
			first, agreed, err := agree(t, server.Addr(), c.first.own, c.first.key)
			if err != nil || !agreed || len(first) < 20 ||
				c.first.want != "" && first != c.first.want {
				t.Fatalf("the first has %q, %t, %v", first, agreed, err)
			}
			stored, _ := server.Get(secretName)
			if secret := c.first.own.Given || c.first.key != ""; secret &&
				strings.Contains(stored, first) {
				t.Error("the store holds the secret as it is")
			}
			second, agreed, err := agree(t, server.Addr(), c.second.own, c.second.key)
			if c.fault != "" {
				if !errors.Is(err, ErrDisagree) || !strings.Contains(err.Error(), c.fault) ||
					!strings.Contains(err.Error(), "names there that begin with "+space) {
					t.Fatalf("%v, want one that says %q", err, c.fault)
				}
				return
			}
			if err != nil || !agreed || second != first {
				t.Errorf("the second has %q, %t, %v, want %q", second, agreed, err, first)
			}
		})
	}
}

// A replica with a secret can start while the store is down; one without cannot.
func TestStartWithoutTheStore(t *testing.T) {
	server := miniredis.RunT(t)
	at := server.Addr()
	server.Close()
	const mine = "a secret of mine, long enough"
	if text, agreed, err := agree(t, at, Secret{Text: mine}, ""); text != mine || agreed ||
		err != nil {
		t.Errorf("%q, %t, %v", text, agreed, err)
	}
	if text, _, err := agree(t, at, Secret{}, ""); !errors.Is(err, ErrAway) {
		t.Errorf("%q, %v, want ErrAway", text, err)
	}
}

func TestAddresses(t *testing.T) {
	for raw, want := range map[string]string{
		"redis://h":                            "h:6379",
		"redis://h:7000/2":                     "h:7000 db 2",
		"rediss://u:p@h/":                      "h:6379 tls u p",
		"redis://[::1]:7000":                   "[::1]:7000",
		"redis://[::1]":                        "[::1]:6379",
		"redis://h?cluster=true":               "h:6379 cluster",
		"redis://h?addr=i&addr=j:1":            "h:6379 i:6379 j:1 cluster",
		"redis://h:7000?cluster=false":         "h:7000",
		"redis://h:26379?master_name=m&addr=i": "h:26379 i:6379 master m",
		"redis://h:26379?master_name=m":        "h:26379 master m",
	} {
		o, err := address(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		var got strings.Builder
		got.WriteString(strings.Join(o.Addrs, " "))
		if o.DB != 0 {
			got.WriteString(" db 2")
		}
		if o.TLSConfig != nil {
			got.WriteString(" tls " + o.Username + " " + o.Password)
		}
		if o.IsClusterMode {
			got.WriteString(" cluster")
		}
		if o.MasterName != "" {
			got.WriteString(" master " + o.MasterName)
		}
		if want != "" && got.String() != want {
			t.Errorf("%s: %s, want %s", raw, got.String(), want)
		}
	}
	for raw, want := range map[string]string{
		"":                                     "begins with redis://",
		"valkey:6379":                          "begins with redis://",
		"http://h":                             "begins with redis://",
		"redis://":                             "names no host",
		"redis://:hunter2@":                    "names no host",
		"redis://u:hunter2@h/x":                "not a database number",
		"redis://u:hunter2@h/1?cluster=true":   "a cluster has only the first",
		"redis://u:hunter2@h?timeout=3s":       `"timeout"`,
		"redis://u:hunter2@h:x/%zz":            "is not a URL",
		"redis://u:hunter2@h?%zz":              "query that cannot be read",
		"redis://u:hunter2@h:99999/0":          "an invalid port",
		"redis://u:hunter2@h:0":                "an invalid port",
		"redis://u:hunter2@h?addr=i:":          "an invalid port",
		"redis://u:hunter2@h?addr=:6379":       "an invalid host",
		"redis://u:hunter2@h?addr=a@b":         "an invalid host",
		"redis://u:hunter2@h?cluster=maybe":    "write cluster=true",
		"redis://h?cluster=true&cluster=no":    "more than once",
		"redis://h?cluster=true&master_name=m": "has both cluster and master_name",
		"redis://h?master_name=":               "an empty master_name",
	} {
		err := CheckAddress(raw)
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want an error that says %s", raw, err, want)
		}
	}
}

// answer is a message of a server.
type answer string

func (a answer) Error() string { return string(a) }
func (a answer) RedisError()   {}

// A server's answer is not shown, since it may quote what was sent; the remedy is.
func TestAnswersSayWhatToDo(t *testing.T) {
	for message, want := range map[string]string{
		"NOAUTH Authentication required.": "it answered NOAUTH: it requires a password; set " +
			"cache.password",
		"WRONGPASS invalid username-password pair or user is disabled.": "it answered " +
			"WRONGPASS: it rejects this user and password; correct cache.url or cache.password",
		"NOPERM this user has no permissions to run the 'eval' command": "it answered NOPERM: " +
			"its user lacks rights; docs/reliability.md lists those that replicas need",
		"ERR DB index is out of range": "it answered ERR: it has no database with this number; " +
			"correct the end of cache.url",
		"ERR This instance has cluster support disabled": "it answered ERR: it is not a " +
			"cluster; remove cluster and addr from cache.url",
		"ERR unknown command 'x', with args beginning with: 'hunter2'": "it answered ERR",
	} {
		if got := describe(answer(message)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", message, got, want)
		}
	}
}
