package loglines

import "testing"

// A line is an error by its structure alone, whatever its words are.
func TestLastError(t *testing.T) {
	for line, want := range map[string]bool{
		`{"level":"error","ts":1.5,"msg":"booking failed"}`:                  true,
		`{"time":"2026-01-02T03:04:05Z","level":"ERROR","msg":"kein Platz"}`: true,
		`{"level":50,"time":1,"msg":"x"}`:                                    true,
		`{"level":50}`:                                                       false,
		`{"level":30,"time":1,"msg":"error: x failed"}`:                      false,
		`{"severity":"CRITICAL","message":"x"}`:                              true,
		`{"@t":"2026","@l":"Fatal","@m":"x"}`:                                true,
		`{"log.level":"error","message":"x"}`:                                true,
		`{"level":"info","msg":"error"}`:                                     false,
		`{"level":"error","event":"no room"}`:                                true,
		`{"id":7,"severity":"critical","title":"no room"}`:                   false,
		`{"level":"error","n":3}`:                                            false,
		`  {"level":"error","msg":"x"}`:                                      false,
		` level=error msg="x"`:                                               false,
		`{"msg":"error"}`:                                                    false,
		`{"level":"error"`:                                                   false,
		`time=2026-01-02T03:04:05Z level=ERROR msg="no room" id=7`:           true,
		`ts=1 lvl=eror msg="a \"b\" c"`:                                      true,
		`ts=1 level=warn msg="level=error"`:                                  false,
		`run it with level=error to see more`:                                false,
		`level=error msg="x`:                                                 false,
		`level=error msg="x\"`:                                               false,
		`level=error msg="x"y=1`:                                             false,
		`level=error a=b=c`:                                                  false,
		`level=error 7=b`:                                                    false,
		`level="error" empty= k.a-b/c@d=é`:                                   true,
		`level=error`:                                                        false,
		`E0102 15:04:05.678901   12345 controller.go:114] no endpoints`:      true,
		`W0102 15:04:05.678901   12345 controller.go:114] error`:             false,
		`Error from server (NotFound): pods "a" not found`:                   false,
		`<11>1 2026-01-02T03:04:05Z host app - - - no room`:                  true,
		`<3>[   12.345678] I/O fault on sda`:                                 true,
		`<14>Jan  2 03:04:05 host app: error`:                                false,
		`<3>rd place`:                                                        false,
		`web-1  | {"level":"error","msg":"x"}`:                               true,
		`2026-01-02T03:04:05.678901234Z {"level":"fatal","msg":"x"}`:         true,
		`[pod/web-5d/web] time="2026" level=error msg=x`:                     true,
		`[pod/web-5d/web] error: x`:                                          false,
		`2026-01-02 03:04:05 ERROR no room`:                                  false,
	} {
		if got := Of("a\n"+line+"\r\nb level=\n").LastError() == line; got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
	const two = "{\"level\":\"error\",\"msg\":\"a\"}\n{\"level\":\"error\",\"msg\":\"b\"}\n"
	if got := Of(two).LastError(); got != `{"level":"error","msg":"b"}` {
		t.Errorf("the last of two: %s", got)
	}
}

// A log begins with a line of some level. A file that quotes such lines does not.
func TestBegin(t *testing.T) {
	for text, want := range map[string]bool{
		`{"level":"info","msg":"x"}` + "\na":                 true,
		`{"level":30,"time":1,"msg":"x"}`:                    true,
		"level=info msg=x\r\na":                              true,
		"I0102 15:04:05.678901   12345 controller.go:114] x": true,
		"web-1  | <14>Jan  2 03:04:05 host app: x":           true,
		"# Logs\n\nlevel=error msg=x\n":                      false,
		"package logs\nlevel=error msg=x\n":                  false,
		"\nlevel=error msg=x":                                false,
		"It begins with level=info":                          false,
		"":                                                   false,
	} {
		if got := Of(text).Begin(); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
