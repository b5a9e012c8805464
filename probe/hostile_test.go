package probe

import (
	"strings"
	"testing"
	"time"

	"killick/chat"
)

// Nothing that a client can write takes more than linear time: a quadratic step would show here.
func TestHostileTexts(t *testing.T) {
	const size = 48 << 10
	for _, unit := range []string{"a", "port 80 ", "not ", "never push to main. ", "/a:1", "a:", "1.", "<system-reminder>", "<task>", "```\n",
		"from 1 to 2 over ", "instead of ", "x, ", "# Do not:\n- ", "不要", "推送", "🚀", "(", "- ", "=1 ", "'", "a_", "aB", "\\n\\", "use ", "{\"error\":", "http://a ", "\n"} {
		long := strings.Repeat(unit, size/len(unit))
		start := time.Now()
		Score(long, long+" end")
		Score("never push to port 80", long)
		Score(long, "never push to port 80")
		raw := string(chat.AppendQuoted(nil, long))
		var msgs []chat.Message
		for _, m := range []string{`{"role":"user","content":` + raw + `}`, `{"role":"assistant","content":` + raw +
			`,"tool_calls":[{"id":"1","function":{"name":"write","arguments":` + raw + `}}]}`, `{"role":"tool","tool_call_id":"1","content":` + raw + `}`} {
			msg, err := chat.ParseMessage([]byte(m))
			if err != nil {
				t.Fatal(err)
			}
			msgs = append(msgs, msg)
		}
		Prepare(msgs, Config{}).Ask(long)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q repeated to %d bytes took %v", unit, size, took)
		} else if testing.Verbose() {
			t.Logf("%-22q %v", unit, took.Round(time.Millisecond))
		}
	}
}
