package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// generated returns a random credential of a rule's format. Samples are generated so that secret
// scanners do not flag this file.
func generated(r *rule, rng *rand.Rand) string {
	run := func(st step) string {
		var set []byte
		for b := range 128 {
			if st.class.has(byte(b)) {
				set = append(set, byte(b))
			}
		}
		n := st.min + rng.IntN(min(st.max, st.min+20)-st.min+1)
		out := make([]byte, n)
		for i := range out {
			out[i] = set[rng.IntN(len(set))]
		}
		return string(out)
	}
	s := r.shape.literal
	for _, st := range r.shape.before {
		s = run(st) + s
	}
	for _, st := range r.shape.after {
		s += run(st)
	}
	return s
}

// from returns random characters of a set.
func from(set string, n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 3))
	out := make([]byte, n)
	for i := range out {
		out[i] = set[rng.IntN(len(set))]
	}
	return string(out)
}

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
	hexes  = digits + "abcdef"
	base62 = digits + lowers + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base64 = base62 + "+/"
)

// surroundings are places where credentials appear; %s is the credential.
var surroundings = []string{
	"%s",
	"it is %s, use it",
	`{"a":"%s","b":1}`,
	`{"out":"{\"a\":\"%s\"}"}`,
	"export A=%s\nls",
	`line one\n%s\nline three`,
	"see (%s).",
	"`%s`",
	"<b>%s</b>",
	"\x1b[32m%s\x1b[0m",
	"curl -H 'X-Key: %s' https://host/path",
	"https://host/path?k=%s&x=1",
}

func TestEveryFormatIsRedacted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]bool{}
	for _, r := range rules {
		kinds[r.kind] = true
		for range 20 {
			secret := generated(r, rng)
			// Samples that by chance do not look random enough or contain a placeholder are
			// skipped.
			start, end, ok := r.match(secret, strings.Index(secret, r.shape.literal), 0)
			if !ok || start != 0 || end != len(secret) {
				continue
			}
			for _, s := range surroundings {
				got := Text(fmt.Sprintf(s, secret))
				if strings.Contains(got, secret[len(secret)-10:]) ||
					!strings.Contains(got, placeholderStart) {
					t.Errorf("%s in %q became %q", r.kind, fmt.Sprintf(s, secret), got)
				}
				if s == "%s" && got != placeholderStart+r.kind+"]" {
					t.Errorf("%s: %q became %q", r.kind, secret, got)
				}
			}
		}
	}
	if len(kinds) < 60 {
		t.Errorf("only %d kinds of credentials are known by their form", len(kinds))
	}
}

// Most samples of every format are recognized, so that a rule does not depend on luck.
func TestSamplesAreRecognized(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, r := range rules {
		missed := 0
		for range 500 {
			if secret := generated(r, rng); Text(secret) != placeholderStart+r.kind+"]" {
				missed++
			}
		}
		if missed > 25 {
			t.Errorf("%s (%q): %d of 500 are missed", r.kind, r.shape.literal, missed)
		}
	}
}

// planted are credentials that are recognized by their context; the secret is between « and ».
var planted = []struct{ kind, text string }{
	{"password", "postgres://app:«s3cr3tPW»@db.internal:5432/app"},
	{"password", "redis://:«" + from(base62, 16, 1) + "»@cache:6379/0"},
	{"password", "mongodb+srv://root:«hunter2»@cluster0.mongodb.net/?retryWrites=true"},
	{"password", "amqp://guest2:«gu3st»@rabbit:5672"},
	{"password", "git clone https://bob:«" + from(base62, 20, 2) + "»@git.example.org/x.git"},
	{"token", "https://«" + from(base62, 40, 3) + "»@raw.githubusercontent.com/x/y"},
	{"github token", "https://x-access-token:«ghs_" + from(base62, 36, 4) + "»@github.com/x/y"},
	{"bearer token", "Authorization: Bearer «" + from(base62, 32, 5) + "»"},
	{"bearer token", `-H "Authorization: Bearer «` + from(hexes, 40, 6) + `»"`},
	{"bearer token", `{"Authorization": "Bearer «` + from(base62, 24, 7) + `»"}`},
	{"bearer token", "then send it as Bearer «" + from(base62, 32, 72) + "» again"},
	{"password", "password: «hunter2.9lives»"},
	{"basic token", "authorization: Basic «dXNlcjpodW50ZXIy»"},
	{"token token", "Authorization: token «" + from(hexes, 40, 8) + "»"},
	{"bot token", "Authorization: Bot «" + from(base62, 30, 9) + "»"},
	{"token", `req.Header.Set("Authorization", "«` + from(base62, 32, 10) + `»")`},
	{"password", "password: «hunter2hunter2»"},
	{"password", `"password": "«Tr0ub4dor&3»"`},
	{"password", `\"password\": \"«Tr0ub4dor3»\"`},
	{"password", "DB_PASSWORD=«correcthorse»"},
	{"password", "PGPASSWORD=«swordfish» psql -h db"},
	{"password", "mysql --password «s3cretpw1» -u root"},
	{"password", "mysqldump --password=«s3cretpw1» app"},
	{"password", "<password>«Gh7$kL9pq»</password>"},
	{"password", `password: str = "«hunter22»"`},
	{"password", "Server=db;Database=app;User Id=sa;Password=«Str0ng!Pass»;"},
	{"password", "Server=db;Uid=sa;Pwd=«Str0ngPass1»;"},
	{"password", `setPassword("«hunter22»")`},
	{"password", "machine api.heroku.com login me@x.org password «" + from(hexes, 36, 11) + "»"},
	{"password", "curl -u admin:«s3cr3t!» https://host/"},
	{"password", `curl -s --user "admin:«s3cr3t!»" https://host/`},
	{"secret", "AWS_SECRET_ACCESS_KEY=«" + from(base64, 40, 12) + "»"},
	{"key", "aws_secret_access_key = «" + from(base64, 40, 13) + "»"},
	{"key", `"SecretAccessKey": "«` + from(base64, 40, 14) + `»"`},
	{"token", `"SessionToken": "«` + from(base64, 200, 15) + `»"`},
	{"key", "DATADOG_API_KEY=«" + from(hexes, 32, 16) + "»"},
	{"key", "dd_api_key: «" + from(hexes, 32, 17) + "»"},
	{"token", "CLOUDFLARE_API_TOKEN=«" + from(base62, 40, 18) + "»"},
	{"key", "HEROKU_API_KEY=«550e8400-e29b-41d4-a716-446655440000»"},
	{"token", `auth_token: "«` + from(hexes, 32, 19) + `»"`},
	{"secret", `client_secret="«` + from(base62, 32, 20) + `»"`},
	{"secret", `clientSecret: '«` + from(base62, 24, 21) + `»',`},
	{"secret", "JWT_SECRET=«a1b2c3d4e5»"},
	{"secret", "SECRET_KEY_BASE_SECRET=«" + from(hexes, 128, 22) + "»"},
	{"key", `apiKey: "«` + from(base62, 39, 23) + `»",`},
	{"key", "x-api-key: «" + from(base62, 24, 24) + "»"},
	{"key", "?api_key=«" + from(hexes, 32, 25) + "»&page=2"},
	{"token", "&access_token=«" + from(base62, 40, 26) + "»&x"},
	{"key", "client-key-data: «" + from(base64, 120, 27) + "»"},
	{"token", "    token: «" + from(base62, 64, 28) + "»\n"},
	{"credential", `"auth": "«` + from(base64, 32, 29) + `»"`},
	{"token", "//registry.npmjs.org/:_authToken=«" + from(hexes, 36, 30) + "»"},
	{"token", `os.environ["API_TOKEN"] = "«` + from(base62, 32, 31) + `»"`},
	{"token", `os.getenv("API_TOKEN", "«` + from(base62, 32, 32) + `»")`},
	{"token", `const token: string = "«` + from(base62, 32, 33) + `»";`},
	{"key", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«" + from(base64, 86, 70) +
		"==»;EndpointSuffix=core.windows.net"},
	{"key", "Endpoint=sb://a/;SharedAccessKeyName=b;SharedAccessKey=«" + from(base64, 43, 71) +
		"=»"},
	{"key", "EncryptionKey=«" + from(base64, 44, 34) + "»"},
	{"private key", "«-----BEGIN RSA PRIVATE KEY-----\n" + from(base64, 64, 35) + "\n" +
		from(base64, 64, 36) + "\n-----END RSA PRIVATE KEY-----»"},
	{"private key", "«-----BEGIN PRIVATE KEY-----\\n" + from(base64, 64, 37) +
		"\\n-----END PRIVATE KEY-----»\\n"},
	{"private key", "«-----BEGIN OPENSSH PRIVATE KEY-----\n" + from(base64, 70, 38) +
		"\n-----END OPENSSH PRIVATE KEY-----»"},
	{"private key", "«-----BEGIN EC PRIVATE KEY----- " + from(base64, 64, 39) + "»…"},
	{"private key", "«-----BEGIN ENCRYPTED PRIVATE KEY-----\r\nProc-Type: 4,ENCRYPTED\r\n\r\n" +
		from(base64, 64, 40) + "\r\n-----END ENCRYPTED PRIVATE KEY-----»"},
	{"private key", "«-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" + from(base64, 64, 41) +
		"\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----»"},
	{"private key", "Private-Lines: 2\n«" + from(base64, 64, 42) + "\n" + from(base64, 20, 43) +
		"»\nPrivate-MAC: x"},
	{"github token", "token ghp_ cut: «ghp_" + from(base62, 20, 44) + "»…"},
	{"openai key", `OPENAI_API_KEY="«sk-` + from(base62, 48, 45) + `»"`},
	{"json web token", "Cookie: session=«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." +
		from(base62, 43, 46) + "»; a=b"},
}

func TestCredentialsAreRecognizedByContext(t *testing.T) {
	marks := strings.NewReplacer("«", "", "»", "")
	for _, p := range planted {
		before, rest, _ := strings.Cut(p.text, "«")
		_, after, _ := strings.Cut(rest, "»")
		want := before + placeholderStart + p.kind + "]" + after
		got := Text(marks.Replace(p.text))
		if p.kind == "secret" || p.kind == "key" {
			want = strings.Replace(want, "secret]", "key]", 1)
			got = strings.Replace(got, "secret]", "key]", 1)
		}
		if got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", p.text, got, want)
		}
	}
}

// Text that an agent needs is kept.
var innocent = []string{
	"commit 4f9c2e1a7b3d5e6f8091a2b3c4d5e6f708192a3b",
	"git checkout 4f9c2e1a && git show HEAD~3:src/main.go",
	"550e8400-e29b-41d4-a716-446655440000",
	`"integrity": "sha512-` + from(base64, 86, 50) + `=="`,
	"sha256:" + from(hexes, 64, 51),
	"nginx@sha256:" + from(hexes, 64, 52),
	"golang.org/x/net v0.60.0 h1:" + from(base64, 43, 53) + "=",
	`{"id":"call_` + from(base62, 24, 54) + `","type":"function"}`,
	`{"id":"toolu_` + from(base62, 24, 55) + `"}`,
	"chatcmpl-" + from(base62, 29, 56),
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA" + from(base64, 4000, 57),
	"/home/ann/.config/tokens/api_key.txt",
	"src/sk-utils/index.ts",
	"task-management-service-layer-and-its-tests",
	"sk-learn-compatible-estimator-interface-for-pipelines",
	"set OPENAI_API_KEY to sk-… or sk-proj-...",
	"export OPENAI_API_KEY=sk-your-key-here-and-nothing-else",
	"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	"ghp_" + strings.Repeat("ab", 18),
	"AKIA" + strings.Repeat("X", 16),
	"process.env.API_KEY",
	"const apiKey = process.env.OPENAI_API_KEY;",
	`api_key = os.environ["OPENAI_API_KEY"]`,
	`api_key=os.getenv("KEY")`,
	`password: ""`,
	`password = None`,
	"password: string;",
	`"password": {"type": "string", "minLength": 8}`,
	`"password": "required"`,
	"password: Password must be at least 8 characters long",
	"password=args.password1, host=args.host",
	"password=args.value1, host=args.host",
	"if user.password == hash256(password):",
	"password = getpass.getpass()",
	"password: ${DB_PASSWORD}",
	"password: {{ .Values.db.password }}",
	"password: <your-password>",
	"password: ********",
	"Password: %s",
	"DB_PASSWORD=$DB_PASSWORD",
	"DB_PASSWORD=$(pass show db1)",
	"--password-file /run/secrets/db1",
	"password_hash: $2b$12$" + from(base62, 53, 58),
	"secretName: my-app-tls-2024",
	"secret: my-app-tls-2024",
	"token: my-service-v2-token",
	"max_tokens: 4096, prompt_tokens=81920",
	`"max_completion_tokens":12000`,
	`"next_page_token": "` + from(base62, 40, 59) + `"`,
	`"nextToken":"` + from(base62, 40, 60) + `"`,
	`"continuationToken": "` + from(base62, 40, 61) + `"`,
	"cache_key=" + from(hexes, 40, 62),
	"primary_key: " + from(hexes, 32, 63),
	`"key": "` + from(hexes, 32, 64) + `"`,
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + from(base64, 43, 65) + " ann@host",
	"-----BEGIN CERTIFICATE-----\n" + from(base64, 64, 66) + "\n-----END CERTIFICATE-----",
	"-----BEGIN PUBLIC KEY-----\n" + from(base64, 64, 67) + "\n-----END PUBLIC KEY-----",
	"starts with -----BEGIN RSA PRIVATE KEY----- as PEM does",
	"https://example.com:8080/a@b",
	"http://user@host/path",
	"postgres://user:${PGPASSWORD}@host/db",
	"postgres://user:$PASS@host/db",
	"postgres://<user>:<pass>@host",
	"https://example.com/a?b=1&author=ann",
	"the bearer of this letter authenticates as administrator",
	"Authorization: Bearer <token>",
	"Authorization: Bearer $TOKEN",
	`"Authorization": "Bearer " + token`,
	"Authorization: Bearer ${process.env.TOKEN1}",
	"Authorization: Bearer sk-...",
	"function authorizationMiddleware(req, res) {}",
	"authorization: RoleBasedAccessControlV2Policy",
	"monkey: 12, keyboard=qwerty1, keyframes: a1b2c3d4e5f6a7b8c9",
	`var a=function(t){return t.token=t.e1},b="key"+c;n.secret=n.b2||{}`,
	"docker run --user 1000:1000 -u 1000:1000 image",
	"curl -u $USER:$PASS https://host",
	"the machine trying to login with password flag{d316759c}",
	"login as root, then set the password again",
	"RUN echo 'token' | base64",
	"cmd.Env = append(env, \"PWD=\"+dir2)",
	"PWD=/srv/app2 make",
	"PrivateKey:  testP256PrivateKey,",
	"hf_requiredCharacteristicTypesForDisplay",
	"machine string\n\tlogin string\n\tpassword string",
	"token_type: bearer, expires_in: 3600",
	"csrf_token()",
	"E0308 mismatched types expected struct TokenStream2",
	"ERR_SECRET_TOO_SHORT_V2",
	"aws s3 ls s3://bucket/AKIAfoo",
	"arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf",
	"secret: projects/123456/secrets/db/versions/3",
	"api_key: op://vault/item2/field",
	`"version": "7.22.5", "resolved": "https://registry.npmjs.org/@babel/core/-/core-7.22.5.tgz"`,
	"0x" + from(hexes, 64, 68),
	"etag: W/\"" + from(hexes, 32, 69) + "\"",
	"Test vector: key = 000102030405060708090a0b0c0d0e0f",
	"reservation HAT136, user_id=sara_doe_496, order #W2378156, item 1234567890",
	"mia_li_3668 gift_card_5634230 credit_card_4421486",
	"2024-05-15T15:00:00 EST flight HAT271 token bucket size 1024",
	"ref=abcdefgh234567xy",
	"EAAA" + strings.Repeat("A", 56),
	"lorem.ipsum.dolor3.sit",
	"[redacted: github token]",
	"password=[redacted: password] and token: [redacted: token]",
}

func TestWhatAnAgentNeedsStays(t *testing.T) {
	for _, s := range innocent {
		if got := Text(s); got != s {
			t.Errorf("%.200s\nbecame %.200s", s, got)
		}
	}
}

func TestSecondPassChangesNothing(t *testing.T) {
	marks := strings.NewReplacer("«", "", "»", "")
	var all strings.Builder
	for _, p := range planted {
		all.WriteString(marks.Replace(p.text) + "\n")
	}
	for _, s := range innocent {
		all.WriteString(s + "\n")
	}
	once := Text(all.String())
	if twice := Text(once); twice != once {
		t.Error("a second pass changed the text")
	}
}

func TestTextWithoutCredentialsIsNotCopied(t *testing.T) {
	s := strings.Repeat("nothing to see here, no keys, no tokens. ", 1000)
	if n := testing.AllocsPerRun(10, func() { Text(s) }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}
