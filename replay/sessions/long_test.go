package sessions

import (
	"fmt"
	"strings"
	"testing"
)

// What a request held is found without sets or copies that grow with the session: memory is
// allocated about as often for each reply of a long session as for each of a short one.
func TestLongSessions(t *testing.T) {
	perReply := func(replies int) float64 {
		var file strings.Builder
		before := "null"
		for i := range replies {
			fmt.Fprintf(&file, `{"type":"user","sessionId":"s","uuid":"u%d","parentUuid":%s,`+
				`"message":{"role":"user","content":"a"}}`+"\n", i, before)
			fmt.Fprintf(&file, `{"type":"assistant","sessionId":"s","uuid":"a%d",`+
				`"parentUuid":"u%d","message":{"id":"m%d","role":"assistant","content":[{"type":`+
				`"text","text":"b"}],"usage":{"input_tokens":%d}}}`+"\n", i, i, i, i+1)
			before = fmt.Sprintf(`"a%d"`, i)
		}
		return testing.AllocsPerRun(1, func() {
			all, _, err := read(file.String())
			if err != nil || len(all[0].Requests) != replies ||
				all[0].Requests[replies-1].Messages != 2*replies-1 {
				t.Fatalf("%+v, %v", all, err)
			}
		}) / float64(replies)
	}
	if short, long := perReply(200), perReply(2000); long > short*1.15 {
		t.Errorf("%.0f allocations for each of 200 replies, %.0f for each of 2000", short, long)
	}
}
