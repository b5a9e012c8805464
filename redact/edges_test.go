package redact

import (
	"slices"
	"strings"
	"testing"
)

// edges are the shortest, longest and rarest spellings that count; the secret is between « and ».
var edges = []struct{ kind, text string }{
	// How a value is assigned.
	{"token", `os.getenv('API_TOKEN', '«` + from(base62, 32, 80) + `»')`},
	{"password", `setPassword('«hunter22»')`},
	{"password", "password ?= «hunter2hunter2»"},
	{"password", "password := «hunter2hunter2»"},
	{"password", "password = b'«hunter22»'"},
	{"password", "password: Optional[str] = '«hunter22»'"},
	{"password", "user.password = '«hunter22»'"},
	{"password", "password = `«hunter22»`"},
	{"password", `password="«hunter22»`},
	{"password", `password="«hunter22» and no closing quote`},
	{"password", "mysql --password «s3cretpw1»"},
	// What a value consists of.
	{"password", "password=«correct.horse+1»"},
	{"token", `api_token="«config.` + from(base62, 30, 86) + `»"`},
	{"password", "DB_PASSWORD=«HUNTER22»"},
	{"secret", "client_secret=«abcd1efg»"},
	{"key", `api_key="«aBcDeFgHiJkLmNoP»"`},
	{"basic token", "Authorization: Basic «dXNlcjpwYXNz»"},
	// The shortest values.
	{"password", "PASSWORD=«abcd»"},
	{"password", `password="«abc123»"`},
	{"password", `password="«aBcDeFgHiJkL»"`},
	{"secret", "client_secret=«a1b2c3d4»"},
	{"key", `api_key="«` + from(base62, 16, 85) + `»"`},
	{"bearer token", "Bearer «a1B2c3D4e5F6g7H8»"},
	{"basic token", "Authorization: Basic «YTpiY2Qx»"},
	{"password", "postgres://a:«p1x»@db/app"},
	{"password", "postgres://a:«s3cr3t»@[::1]/app"},
	{"token", "https://«a1B2c3D4e5F6g7H8i9J0»@host/"},
	{"password", "curl -u admin:«p1x» https://host/"},
	{"password", "curl -uadmin:«s3cr3t1» https://host/"},
	{"password", "curl --user=admin:«s3cr3t1» https://host/"},
	{"password", "machine host login ann password «ab1x»"},
	{"secret", "client_secret: «550e8400-e29b-41d4-a716-446655440000»"},
	// A quoted value is removed as a whole, however long: the end of a private key is enough to
	// compute the rest.
	{"token", `"SessionToken": "«` + from(base64, 1024, 81) + `»"`},
	{"token", `"SessionToken": "«` + from(base64, 1025, 82) + `»"`},
	{"key", `"client-key-data": "«` + from(base64, 2300, 83) + `==»"`},
	{"key", `"client-key-data": "«` + from(base64, 1500, 91) + `\n` + from(base64, 800, 92) +
		`»", "name": "x"`},
	// What a short value needs beside a name.
	{"password", `password="«abc!def»"`},
	{"password", "password=«abc!def»"},
	{"password", "--password «aabb11»"},
	{"password", `password="«aabb11»"`},
	{"token", "API_TOKEN=«a1b2c3d4»"},
	{"key", `api_key="«monkey1a2B3c4D5e6»"`},
	{"api-key token", "Authorization: Api-Key «a1B2c3D4»"},
	// What is in brackets like ours and is not ours is read.
	{"password", `[redacted: PASSWORD]="«hunter22»"`},
	{"password", `[redacted: averyverylongname password]="«hunter22»"`},
	{"password", `[redacted: password="«hunter22»"`},
	// What may precede a format.
	{"groq key", `line\t«gsk_` + from(base62, 40, 84) + "»"},
	{"groq key", `line\r«gsk_` + from(base62, 40, 84) + "»"},
	{"groq key", "a-«gsk_" + from(base62, 40, 84) + "»"},
	{"groq key", "a_«gsk_" + from(base62, 40, 84) + "»"},
	{"groq key", "k%3D«gsk_" + from(base62, 40, 84) + "»"},
	{"groq key", "k%3d«gsk_" + from(base62, 40, 84) + "»"},
	{"groq key", "\x1b[m«gsk_" + from(base62, 40, 84) + "»"},
}

func TestEdgesOfWhatIsRecognized(t *testing.T) {
	marks := strings.NewReplacer("«", "", "»", "")
	for _, c := range edges {
		before, rest, _ := strings.Cut(c.text, "«")
		_, after, _ := strings.Cut(rest, "»")
		want := before + placeholderStart + c.kind + "]" + after
		if got := Text(marks.Replace(c.text)); got != want {
			t.Errorf("%.200s\nbecame %.200s\nwant   %.200s", c.text, got, want)
		}
	}
}

// What is one character or one sign away from a credential stays.
func TestEdgesOfWhatStays(t *testing.T) {
	for _, s := range []string{
		"PASSWORD=abc",
		`password="abc12"`,
		"PWD=srv2app",
		"DB_PASSWORD=CORRECTHORSE",
		"password=args.my_value1",
		"password=args.$value1",
		"password=args.my-value1",
		`api_token="config.a1B2c3D4e5F6g7H8"`,
		"token: 550e8400-e29b-41d4-a716-446655440000",
		"client_secret=a1b2c3d",
		"client_secret=abcdefgh1",
		"Bearer a1B2c3D4e5F6g7H",
		"Authorization: Basic YTpiY2Q",
		"postgres://a:p1@db/app",
		"https://a1B2c3D4e5F6g7H8i9J@host/",
		"curl -u admin:p1 https://host/",
		"machine host login ann password a1x",
		"password = config1.get2[0]",
		"password = hash1234[0]",
		"password = hash1234(x)",
		"getenv(\"TOKEN\", a1B2c3D4e5F6g7H8)",
		`TOKEN, "a1B2c3D4e5F6g7H8"`,
		// It was redacted, with what follows.
		`f([redacted: github token], "a1B2c3D4e5F6g7H8")`,
		`f([redacted: slack token 1.1], "a1B2c3D4e5F6g7H8")`,
		// It is no credential where a credential may be.
		"machine host login ann password your1pass",
		"machine host login ann password ${PW1}",
		"machine host account ann password s3cr3t1",
		"curl -u admin:your1pass https://h/",
		"curl -u admin:${PW1} https://h/",
		"curl a-u admin:s3cr3t1 https://h/",
		"postgres://a:your1@db/app",
		"postgres://a:${PW1}@db/app",
		"https://abcdefghijklmnopqrstu@host/",
		"https://a:s3cr3t1@",
		"https://a:s3cr3t1@?x",
		"Bearera1B2c3D4e5F6g7H8",
		"Bearer your1a2B3c4D5e6F7",
		"Authorization a1B2c3D4e5F6g7H8",
		"Authorization: Digest a1B2c3D4e5F6g7H8",
		"Authorization: ${TOKEN1a2b3c4d5}",
		"Authorization: Basic abcdefgh",
		"client_secret=example1a2",
		"client_secret=my1token2x",
		"client_secret=a1b2-c3d4",
		"api_key=monkey1a2B3c4D5e6",
		"api_token=a1b2c3d4",
		"password: " + from(base62, 300, 93),
		// What follows the name assigns nothing.
		"password? hunter2hunter2",
		"password (hunter2hunter2)",
		`password["hunter2hunter2"]`,
		"password hunter2hunter2",
		`"password"> hunter2hunter2`,
		"--password,hunter2hunter2",
		"password-hint=hunter2hunter2",
		"password_hint=hunter2hunter2",
		// It is filled in elsewhere, or no value.
		"password=${hunter22}",
		"password=./hunter22",
		"password=~/hunter22",
		"password=%(hunter)s",
		`password="{{hunter22}}"`,
		`password="<hunter22>"`,
		`password="vault://a/hunter22"`,
		`password="a process.env1"`,
		`password="getenv hunter22"`,
		`password="arn:aws:hunter22"`,
		`password="correct horse 1"`,
		`password="hunter2.get.value1"`,
		"PASSWORD=undefined",
		// It is too simple for one, or names one.
		"PASSWORD=aaaaaaaa",
		"password: aabb11",
		`password="12345678"`,
		`password="my-password1"`,
		`password="abcdefghijkl"`,
		`password="aBcDeFgHiJk"`,
		"password=your1hunter",
		"token=abcdefghijklmnop",
		"api_token=your1a2B3c4D5e6F7",
		"token = mykey1a2B3c4D5e6F7",
		"xgsk_" + from(base62, 40, 84),
		"%3gsk_" + from(base62, 40, 84),
		"1Dgsk_" + from(base62, 40, 84),
		"zmgsk_" + from(base62, 40, 84),
	} {
		if got := Text(s); got != s {
			t.Errorf("%s\nbecame %s", s, got)
		}
	}
}

// A text may end anywhere, since outputs are cut: no rule reads past the end.
func TestCutTextsAreRead(t *testing.T) {
	marks := strings.NewReplacer("«", "", "»", "")
	for _, c := range slices.Concat(planted, edges) {
		for text := marks.Replace(c.text); text != ""; text = text[:len(text)-1] {
			for _, m := range Find(text) {
				if m.Start >= m.End || m.End > len(text) {
					t.Fatalf("%v is no part of %.200s", m, text)
				}
			}
		}
	}
}
