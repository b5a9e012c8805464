package transcript

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

// waiting is a conversation in which a script goes on and is waited for this number of times. Each
// script has its cell, a name.
type waiting struct {
	b     strings.Builder
	calls int
}

// turn adds a call with its result.
func (w *waiting) turn(tool, arguments, result string) {
	if w.calls == 0 {
		w.b.WriteString(`{"model":"gpt-5.1","messages":[{"role":"user","content":"Test it."}`)
	}
	input, _ := json.Marshal(arguments)
	output, _ := json.Marshal(result)
	fmt.Fprintf(&w.b, `,{"role":"assistant","tool_calls":[{"id":"c%d","type":"function",`+
		`"function":{"name":"%s","arguments":%s}}]},`+
		`{"role":"tool","tool_call_id":"c%d","content":%s}`, w.calls, tool, input, w.calls, output)
	w.calls++
}

func (w *waiting) begin(cell, command string) {
	source, _ := json.Marshal(`const r = await tools.exec_command({cmd: "` + command +
		`"}); text(r.output);`)
	w.turn("exec", `{"input":`+string(source)+`}`, goingOn(cell))
}

func (w *waiting) wait(cell, result string) { w.turn("wait", `{"cell_id":"`+cell+`"}`, result) }

func goingOn(cell string) string {
	return "Script running with cell ID " + cell + "\nWall time 1.0 seconds\nOutput:\n"
}

func (w *waiting) request(t testing.TB, p *view.Parser) *view.Request {
	t.Helper()
	req, err := p.Parse(chat.Format, "who", []byte(w.b.String()+"]}"))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// newest reads the last turn of a request.
func newest(req *view.Request) (*Transcript, *Memo) {
	msgs := req.Messages()
	groups := view.Groups(msgs)
	memo := NewMemo(req.Memory())
	return memo.Read(msgs, groups, groups[len(groups)-1].Start), memo
}

// chained returns a conversation with this number of waits for one script, which was read until
// there.
func chained(t testing.TB, waits int) (*waiting, *view.Parser) {
	w, p := new(waiting), new(view.Parser)
	w.begin("7", "go test ./...")
	for range waits {
		w.wait("7", goingOn("7"))
	}
	newest(w.request(t, p))
	return w, p
}

// However long a script has been waited for, a turn reads no earlier message.
func TestWaitsReadOnlyWhatIsNew(t *testing.T) {
	for _, waits := range []int{100, 1000} {
		w, p := chained(t, waits)
		w.turn("exec_command", `{"cmd":"ls"}`, "a.go\n")
		newest(w.request(t, p))
		w.wait("7", goingOn("7"))
		read, memo := newest(w.request(t, p))
		if got := read.Calls[0]; got.Command != "go test ./..." || got.Began() != 1 {
			t.Errorf("after %d waits: %q, begun by %d", waits, got.Command, got.Began())
		}
		if len(memo.groups) != 2 { // the last one, and the wait before
			t.Errorf("after %d waits, a turn reads %d groups", waits, len(memo.groups))
		}
	}
}

// What is remembered of scripts is of the messages that a request still has.
func TestWaitsInBranches(t *testing.T) {
	var p view.Parser
	common := strings.Repeat("The tests take long. ", 300) // else nothing is remembered
	for _, branch := range [][]string{
		{"begin a 7", "on 7"}, {"begin a 7", "on 7", "on 7"}, {"begin b 7", "on 7", "on 7"},
		{"begin b 7", "on 7", "end 7", "on 7"}, {"begin a 7", "on 7", "on 7", "begin c 8", "end 8"},
		{"begin a 7", "begin c 8", "end 8", "on 8", "end 7"}, {"begin a 8", "on 7", "end 8"},
	} {
		w := new(waiting)
		w.turn("exec_command", `{"cmd":"cat README"}`, common)
		for _, step := range branch {
			fields := strings.Fields(step)
			switch fields[0] {
			case "begin":
				w.begin(fields[2], fields[1])
			case "on":
				w.wait(fields[1], goingOn(fields[1]))
			case "end":
				w.wait(fields[1], "Script completed\nWall time 0.1 seconds\nOutput:\nok\n")
			}
			req := w.request(t, &p)
			read, _ := newest(req)
			all := ReadAll(req.Messages()).Calls
			got, want := &read.Calls[0], &all[len(all)-1]
			if a, b := fmt.Sprint(callLine(read, got), got.Polls(), got.Began(), got.Session),
				fmt.Sprint(callLine(read, want), want.Polls(), want.Began(),
					want.Session); a != b {
				t.Errorf("%v, %s: %s, want %s", branch, step, a, b)
			}
		}
	}
}

// What is remembered of scripts counts with their text: limits.memory bounds it.
func TestRememberedScriptsCount(t *testing.T) {
	const scripts, long = 20, 5000
	bytes := func(command string) int64 {
		w, p := new(waiting), new(view.Parser)
		for i := range scripts {
			w.begin(fmt.Sprint("c", i), command)
		}
		w.wait("c0", goingOn("c0"))
		req := w.request(t, p)
		before := p.Bytes()
		newest(req)
		return p.Bytes() - before
	}
	short, full := bytes("ls"), bytes(strings.Repeat("a", long))
	if full < short+scripts*long {
		t.Errorf("%d bytes with long commands, %d with short ones", full, short)
	}
}

// The reading of a turn that waits for a script, after this number of turns that did.
func BenchmarkWait(b *testing.B) {
	for _, waits := range []int{100, 1000, 4000} {
		b.Run(fmt.Sprint(waits), func(b *testing.B) {
			var turns []*view.Request
			var groups []view.Group
			b.ReportAllocs()
			for b.Loop() {
				if len(turns) == 0 {
					b.StopTimer()
					for range 20 {
						w, p := chained(b, waits)
						w.wait("7", goingOn("7"))
						turns = append(turns, w.request(b, p))
					}
					groups = view.Groups(turns[0].Messages())
					runtime.GC()
					b.StartTimer()
				}
				last := groups[len(groups)-1].Start
				NewMemo(turns[0].Memory()).Read(turns[0].Messages(), groups, last)
				turns = turns[1:]
			}
		})
	}
}
