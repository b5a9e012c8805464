package probe

import "testing"

// bands of a score: what passes, what is neither, what is wrong.
const (
	right   = "right"   // ≥ 0.60
	partial = "partial" // [0.35, 0.60)
	wrong   = "wrong"   // < 0.35
)

func bandOf(score float64) string {
	switch {
	case score >= DefaultThreshold:
		return right
	case score >= DefaultHardFail:
		return partial
	}
	return wrong
}

func TestScore(t *testing.T) {
	for _, tt := range []struct{ expected, actual, band string }{
		// Names and versions.
		{"thiserror", "thiserror 1.0", right},
		{"thiserror 1.0", "thiserror", partial}, // the name is right, the version is lost
		{"thiserror 1.0", "thiserror 2.0", wrong},
		{"Use thiserror for typed errors in library crates", "thiserror was chosen for error types in library crates", right},
		{"v1.2", "v1.3", wrong},
		{"v1.2", "1.2", right},
		{"v1.2", "v1.20", wrong},
		{"v1.2.3", "v1.2", partial},
		{"1.2.3", "version 1.2.3 is deployed", right},
		{"go 1.25.6", "go was updated to 1.25.6", right},
		{"Python 3.1", "Python 3.10", wrong},
		{"v2.0.0-rc1", "v2.0.0-rc2", wrong},
		{"version 1.0", "version 1.0.0", right},
		{"upgrade from 1.25.5 to 1.25.6", "upgraded from 1.25.5 to 1.25.6", right},
		{"upgrade from 1.25.5 to 1.25.6", "upgraded from 1.25.6 to 1.25.5", wrong},

		// Paths.
		{"src/auth.rs", "definitely not in the summary", wrong},
		{"src/main/auth.go", "src/main/auth.go", right},
		{"src/main/auth.go", "The file is src/main/auth.go.", right},
		{"src/main/auth.go", "`src/main/auth.go:42` was edited", right},
		{"src/main/auth.go", "auth.go", partial},
		{"src/main/auth.go", "main/auth.go", right},
		{"auth.go", "src/main/auth.go", right},
		{"src/main/auth.go", "src/test/auth.go", wrong},
		{"src/main/auth.go", "src/main/auth.rs", wrong},
		{"/home/ana/work/cli/cmd/root/setup.go", "cmd/root/setup.go", right},
		{`C:\src\Auth\login.cs`, "c:/src/auth/login.cs", right},
		{`C:\src\Auth\login.cs`, `auth\login.cs`, right},
		{"./cmd/main.go", "cmd/main.go", right},
		{"README.md", "readme.md", right},
		{"src/auth.rs", "src/auth.rs.bak", wrong},

		// Right answers that contain the words of a refusal.
		{"ErrUnknownHost", "ErrUnknownHost", right},
		{"ErrUnknownHost", "It returns ErrUnknownHost", right},
		{"file not found error", "file not found error", right},
		{"file not found error", "It failed with a file not found error", right},
		{"unknown host", "the unknown host error", right},
		{"none of the tests run", "None of the tests run.", right},

		// Refusals.
		{"src/auth.rs", "UNKNOWN", wrong},
		{"port 8080", "Unknown.", wrong},
		{"port 8080", "n/a", wrong},
		{"the summary tool", "The summary does not mention it", wrong},
		{"Never push to main without approval", "The summary does not say whether pushing to main without approval is allowed", wrong},
		{"Never push to main", "not mentioned", wrong},
		{"Use PostgreSQL", "There is no information about PostgreSQL in the record", wrong},
		{"port 8080", "The summary doesn't say much, but the port is 8080.", right},

		// Numbers.
		{"port 80", "port 443", wrong},
		{"port 80", "80", right},
		{"port 80", "It listens on port 80", right},
		{"port 8080", "http://localhost:8080/health", right},
		{"1,000 requests", "1000 requests", right},
		{"1_000", "1,000", right},
		{"8k tokens", "8000 tokens", right},
		{"10ms", "10 ms", right},
		{"10ms", "10s", wrong},
		{"timeout of 5 minutes", "timeout 300s", right},
		{"timeout 30s", "timeout 30", right},
		{"0x1F", "31", right},
		{"50%", "50 percent", right},
		{"$2.50", "$2.5", right},
		{"retry limit is 3", "3 files were changed in the last commit", wrong},
		{"three retries", "3 retries", right},
		{"retry 3 times", "retry three times", right},
		{"The server listens on port 8080 for all incoming http requests", "The server listens on port 443 for all incoming http requests", wrong},
		{"frontend on port 3000 and backend on port 8080", "frontend on port 8080 and backend on port 3000", wrong},
		{"frontend on port 3000 and backend on port 8080", "backend on port 8080, frontend on port 3000", right},
		{"1000", "100", wrong},

		// Hashes, ids, URLs.
		{"commit a318ad7", "a318ad7317a24575845d8952a1e5958b", right},
		{"a318ad7317a24575845d8952a1e5958b", "commit a318ad7", right},
		{"a318ad7", "b318ad7", wrong},
		{"user ID mia_li_3668", "The user ID is mia_li_3668.", right},
		{"user ID mia_li_3668", "The user ID is mia_li_3669.", wrong},
		{"https://example.com/v1", "base url https://example.com/v1/", right},
		{"https://example.com/v1", "https://example.com/v2", wrong},
		{"ENT-221", "ticket ENT-222", wrong},
		{"--map-tokens", "the `--map-tokens` flag", right},
		{"self.map_cache", "map_cache", right},
		{"map_cache", "self.map_cache", right},
		{"HAT136", "hat136", right},

		// Polarity.
		{"Never push to main", "Never push to main", right},
		{"Never push to main", "Push to main", wrong},
		{"Never push to main", "Pushing to main is never allowed", right},
		{"Never push to main", "Do not push to main.", right},
		{"Never push to main", "Don’t push to main", right},
		{"Never push to main", "Pushing to main is forbidden", right},
		{"Never push to main", "Avoid pushing to main", right},
		{"Never push to main", "Always push to main", wrong},
		{"Push to main", "Never push to main", wrong},
		{"You must not edit generated files", "You must edit generated files", wrong},
		{"You must not edit generated files", "Generated files must not be edited", right},
		{"Avoid global state in handlers", "Use global state in handlers", wrong},
		{"Avoid global state in handlers", "No global state in handlers", right},
		{"The v1 API is no longer supported", "The v1 API is supported", wrong},
		{"Use PostgreSQL", "PostgreSQL was rejected; use SQLite", wrong},
		{"Use PostgreSQL", "PostgreSQL was rejected. Use SQLite instead.", wrong},
		{"Use PostgreSQL", "Use SQLite instead of PostgreSQL", wrong},
		{"Use SQLite instead of PostgreSQL", "Use PostgreSQL instead of SQLite", wrong},
		{"Use SQLite instead of PostgreSQL", "SQLite was chosen over PostgreSQL", right},
		{"Use SQLite instead of PostgreSQL", "PostgreSQL was rejected in favor of SQLite", right},
		{"Use SQLite instead of PostgreSQL", "We use SQLite rather than PostgreSQL", right},
		{"Use SQLite, not PostgreSQL", "Use SQLite instead of PostgreSQL", right},
		{"Use SQLite", "Use SQLite, not PostgreSQL", right},
		{"We decided on SQLite because PostgreSQL needs a server", "We decided on PostgreSQL because it needs a server", wrong},
		{"Use Redis for the session cache", "Use Memcached for the session cache", wrong},
		{"Switched from PostgreSQL to SQLite", "Switched from SQLite to PostgreSQL", wrong},
		{"Replace moment with dayjs", "moment was replaced by dayjs", right},
		{"Replace moment with dayjs", "Replace dayjs with moment", wrong},
		{"Don't commit unless asked", "Only commit when asked", right},
		{"Don't commit unless asked", "Commit even when not asked", wrong},
		{"Never delete files", "Never delete files unless they are old", partial},
		{"Only use the standard library", "Use the standard library", partial},
		{"Always run the tests before committing", "Sometimes run the tests before committing", wrong},
		{"Run migrations before the deploy", "Run migrations after the deploy", wrong},
		{"Enable caching for images", "Caching for images is disabled", wrong},
		{"Never disable certificate checks", "Keep certificate checks enabled", right},
		{"Don't forget to run gofmt", "Run gofmt", right},
		{"Do not touch vendor/, tests/ or docs/", "Do not touch vendor/, docs/ or tests/", right},
		{"don't use IgnorantTemporaryDirectory use GitTemporaryDirectory", "Use GitTemporaryDirectory instead of IgnorantTemporaryDirectory", right},

		// Word forms, order, case.
		{"fix the failing login tests", "Login test failures fixed", right},
		{"CACHE THE MAPS", "cache the map", right},
		{"migrate the database schema", "database schema migration", right},

		// Other scripts and languages.
		{"数据库使用端口8080", "数据库端口使用8080", right},
		{"不要直接推送到主分支", "不要直接推送到主分支", right},
		{"不要直接推送到主分支", "禁止直接推送到主分支", right},
		{"不要直接推送到主分支", "直接推送到主分支", wrong},
		{"使用 thiserror 处理库里的错误", "库里的错误用 thiserror 处理", right},
		{"用户要求重构登录模块", "天气很好", wrong},
		{"端口是8080", "端口是443", wrong},
		{"使用SQLite而不是PostgreSQL", "使用PostgreSQL而不是SQLite", wrong},
		{"使用SQLite而不是PostgreSQL", "使用SQLite而不是PostgreSQL。", right},
		{"Никогда не пушить в главную ветку", "Пушить в главную ветку", wrong},
		{"Никогда не пушить в главную ветку", "Нельзя пушить в главную ветку", right},
		{"Niemals auf main pushen", "Auf main pushen", wrong},
		{"Niemals auf main pushen", "Nie auf main pushen", right},
		{"Nunca borres la base de datos", "Borra la base de datos", wrong},
		{"España", "Espana", right},
		{"cafe\u0301", "café", right},
		{"ログを削除しないでください", "ログを削除してください", wrong},
		{"deploy 🚀 on Friday", "deploy on Friday 🚀", right},
		{"🚀", "ship it 🚀", right},
		{"🚀", "🐢", wrong},

		// Values stated otherwise.
		{"the retry limit is 5", "retry limit: 5", right},
		{"the retry limit is 5", "retry limit: 6", wrong},
		{"port: 8081", "- port 8081 (was 8080)", right},
		{"port: 8081", "- port 8080", wrong},
		{"set max depth to 100", "maxDepth raised from 50 to 100", right},
		{"set max depth to 100", "max depth raised from 100 to 50", wrong},
		{"limit of 1,000,000 rows", "1000000 rows limit", right},
		{"timeout 1.5s", "timeout 1500 ms", right},
		{"memory 2GB", "memory 2 TB", wrong},
		{"memory 2GB", "memory limited to 2000 MB", right},
		{"deploy on 2024-05-20", "deploy on 2024-05-21", wrong},
		{"meeting at 11:30", "meeting at 11:30", right},
		{"meeting at 11:30", "meeting at 12:30", wrong},
		{"issue #242", "issue 242", right},
		{"issue #242", "issue #243", wrong},
		{"exit code 3", "Exit code 3", right},
		{"branch `alex/ent-221`", "branch alex/ent-222", wrong},
		{"10-20 workers", "between 10 and 20 workers", right},

		// Long or repetitive answers do not help.
		{"port 8080", "port port port port port port port port", wrong},
		{"src/auth.rs", "src src src auth auth rs rs", wrong},
		{"Never push to main", "push push push to main main main", wrong},
		{"Use thiserror for typed errors in library crates", "errors errors errors crates crates", wrong},
		{"the login handler drops the session cookie", "the handler was refactored and the tests pass", wrong},

		// Polarity, more phrasings.
		{"Don't use mocks", "Use mocks", wrong},
		{"Don't use mocks", "dont use mocks", right},
		{"Don't use mocks", "Mocks must not be used", right},
		{"Don't use mocks", "No mocks", right},
		{"Don't use mocks", "Mocks are not allowed", right},
		{"Don't use mocks", "Mocks are prohibited", right},
		{"Don't use mocks", "Mocks are preferred", wrong},
		{"Stop using mocks", "Keep using mocks", wrong},
		{"We no longer ship the Python client", "We ship the Python client", wrong},
		{"We no longer ship the Python client", "The Python client is not shipped any more", right},
		{"The config must not be committed", "The config must be committed", wrong},
		{"Never log tokens; always redact them", "Always log tokens; never redact them", wrong},
		{"Never log tokens; always redact them", "Tokens are always redacted and never logged", right},
		{"Do not rename exported functions", "Rename exported functions", wrong},
		{"Commit without running the hooks", "Commit with running the hooks", wrong},
		{"Do all work on a branch, never on main", "Do all work on main, never on a branch", wrong},
		{"keep each commit with working code", "each commit must keep working code", right},
		{"Rejected: Redis", "Redis was rejected", right},
		{"Rejected: Redis", "Redis was chosen", wrong},
		{"Do not:\n- push to main", "Never push to main", right},
		{"Chose A* over Dijkstra for routing", "Chose Dijkstra over A* for routing", wrong},

		// Languages.
		{"必须使用 TypeScript", "必须用 TypeScript", right},
		{"严禁修改 src/api.ts", "修改 src/api.ts", wrong},
		{"只能修改 src/api.ts", "修改 src/api.ts", partial},
		{"Verwende nur die Standardbibliothek", "Verwende die Standardbibliothek", partial},
		{"Ne jamais pousser sur main", "Pousser sur main", wrong},
		{"Ne jamais pousser sur main", "Il ne faut jamais pousser sur main", right},
		{"N'utilise pas de mocks", "Utilise des mocks", wrong},
		{"No uses mocks nunca", "Usa mocks", wrong},
		{"테스트 없이 커밋하지 마세요", "테스트 없이 커밋하지 마세요", right},
		{"ポート番号は8080です", "ポート番号は8080", right},
		{"ｐｏｒｔ　８０８０", "port 8080", right},

		// A line broken to a width.
		{"Never push anything to the shared release branches of this project", "Never push anything to the shared release branches of this big\nproject", right},
		{"Never push anything to the shared release branches of this project", "Push anything that you like to the shared release branches of this\nproject", wrong},

		// Nothing.
		{"", "", wrong},
		{"", "anything", wrong},
		{"anything", "", wrong},
		{"anything", "   \n", wrong},
		{"???", "???", right},
		{"???", "!!!", wrong},
		{"the", "the", right},
	} {
		got := Score(tt.expected, tt.actual)
		if bandOf(got) != tt.band {
			t.Errorf("Score(%q, %q) = %.3f, %s; want %s", tt.expected, tt.actual, got, bandOf(got), tt.band)
		}
	}
}
