package loglines

import (
	"strings"
	"testing"
)

// The last line of level error of a text log is found by the column of its levels: those that
// common loggers write by default.
func TestLastErrorOfTextLogs(t *testing.T) {
	const want = "WANT"
	for name, log := range map[string][]string{
		"Go's slog": {"2026/01/02 03:04:05 INFO started port=80",
			"2026/01/02 03:04:05 ERROR no room id=7 WANT", "2026/01/02 03:04:06 INFO error"},
		"Python": {"2026-01-02 03:04:05,123 INFO app: started",
			"2026-01-02 03:04:05,124 ERROR app: no room WANT", "Traceback (most recent call last):",
			"  File \"a.py\", line 3", "2026-01-02 03:04:06,000 WARNING app: ERROR"},
		"Python, with dashes": {"2026-01-02 03:04:05,123 - app - DEBUG - ERROR",
			"2026-01-02 03:04:05,123 - app.db - CRITICAL - no room WANT"},
		"Spring Boot": {"2026-01-02T03:04:05.123+01:00  INFO 1 --- [main] c.e.App : started",
			"2026-01-02T03:04:05.124+01:00 ERROR 1 --- [main] c.e.App : no room WANT",
			"java.lang.IllegalStateException: ERROR"},
		"Logback": {"03:04:05.123 [main] DEBUG c.e.App -- started",
			"03:04:05.124 [main] ERROR c.e.App -- no room WANT"},
		"tracing, shown by docker compose with times": {
			"web-1  | 2026-01-02T03:04:05.123456Z 2026-01-02T03:04:05.123Z  INFO app: started",
			"web-1  | 2026-01-02T03:04:05.223456Z 2026-01-02T03:04:05.223Z ERROR app: WANT"},
		"env_logger": {"[2026-01-02T03:04:05Z INFO  app] started",
			"[2026-01-02T03:04:05Z ERROR app] no room WANT"},
		"nginx": {"2026/01/02 03:04:05 [notice] 1#1: start worker processes",
			`2026/01/02 03:04:06 [error] 29#29: *1 open() "/x" failed WANT`},
		"PostgreSQL": {"2026-01-02 03:04:05.123 UTC [1] LOG:  ready to accept connections",
			`2026-01-02 03:04:06.123 UTC [33] ERROR:  relation "x" does not exist WANT`,
			"2026-01-02 03:04:06.123 UTC [33] STATEMENT:  select ERROR from x"},
		"gunicorn": {"[2026-01-02 03:04:05 +0000] [1] [INFO] Listening at: http://0.0.0.0:80",
			"[2026-01-02 03:04:06 +0000] [7] [ERROR] Exception in worker process WANT"},
		"loguru": {"2026-01-02 03:04:05.123 | INFO     | app:main:3 - started",
			"2026-01-02 03:04:05.124 | ERROR    | app:main:4 - no room WANT"},
		"Serilog": {"[03:04:05 INF] started", "[03:04:06 FTL] no room WANT"},
		"zap": {"2026-01-02T03:04:05.123+0100\tINFO\tapp/main.go:3\tstarted",
			"2026-01-02T03:04:05.123+0100\tERROR\tapp/main.go:4\tno room WANT"},
		"Tomcat": {"02-Jan-2026 03:04:05.123 INFO [main] a.B.c started",
			"02-Jan-2026 03:04:05.123 SEVERE [main] a.B.c no room WANT"},
		"Spark": {"26/01/02 03:04:05 WARN Utils: started", "26/01/02 03:04:05 ERROR App: WANT"},
	} {
		text := strings.Join(log, "\n") + "\n"
		if got := Of(text).LastError(); !strings.Contains(got, want) {
			t.Errorf("%s: %q", name, got)
		}
		if !Of(text).Begin() {
			t.Errorf("%s: does not begin with a line of a log", name)
		}
	}
}

// A word after a time is a level only if levels differ and most lines with a time name one, in
// capitals or in brackets.
func TestWordsThatAreNoLevels(t *testing.T) {
	for name, text := range map[string]string{
		"one level": "2026-01-02 03:04:05 ERROR a\n2026-01-02 03:04:06 ERROR b",
		"subjects of commits": "2026-01-02 03:04:05 +0100 INFO lines are shorter\n" +
			"2026-01-02 03:04:06 +0100 ERROR pages say what to do\n" +
			"2026-01-02 03:04:07 +0100 add a test\n2026-01-02 03:04:08 +0100 fix a typo",
		"tickets": "2026-01-02 03:04:05 info Login is slow\n" +
			"2026-01-02 03:04:06 critical Login fails",
		"words of messages": "03:04:05 INFO ERROR is 0\n03:04:05 INFO WARNING is 1",
		"no time":           "INFO started\nERROR no room",
		"days only":         "2026-01-02 INFO started\n2026-01-02 ERROR no room",
		"columns differ":    "03:04:05 a INFO b\n03:04:05 ERROR b\n03:04:05 c",
		"indented":          "  03:04:05 INFO a\n  03:04:05 ERROR b",
		"far away":          "03:04:05 a b c d INFO e\n03:04:05 a b c d ERROR e",
		"times joined":      "03:04:05INFO a\n03:04:05ERROR b",
	} {
		if got := Of(text).LastError(); got != "" || Of(text).Begin() {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A file that only quotes lines of logs does not begin with one.
func TestTextLogsThatAreQuoted(t *testing.T) {
	if Of("# Logs\n\n03:04:05 INFO a\n03:04:05 ERROR b\n").Begin() {
		t.Error("begins with a heading")
	}
}

func BenchmarkLastError(b *testing.B) {
	for name, line := range map[string]string{
		"log":  "2026-01-02 03:04:05,123 - app.db - INFO - started on port 8080\n",
		"code": "\tfor i := range columns { // a comment of some words\n",
	} {
		text := strings.Repeat(line, 10_000)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				Of(text).LastError()
			}
		})
	}
}
