package transcript

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"killick/chat"
	"killick/internal/cputime"
	"killick/view"
)

// awaited returns messages: a script with its result, and calls of wait for its cell with theirs.
// Each result has the parts that Codex sends.
func awaited(t testing.TB, source string, first []string, waits ...[]string) []view.Message {
	t.Helper()
	msgs := scriptMessages(t, source, first...)
	for i, texts := range waits {
		id := fmt.Sprint("w", i)
		raws := []string{`{"role":"assistant","tool_calls":[{"id":"` + id + `","type":"function",` +
			`"function":{"name":"wait","arguments":"{\"cell_id\":\"7\",\"max_tokens\":900}"}}]}`}
		var parts []string
		for _, text := range texts {
			quoted, _ := json.Marshal(text)
			parts = append(parts, `{"type":"text","text":`+string(quoted)+`}`)
		}
		raws = append(raws, `{"role":"tool","tool_call_id":"`+id+`","content":[`+
			strings.Join(parts, ",")+`]}`)
		for _, raw := range raws {
			m, err := chat.ParseMessage([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			msgs = append(msgs, m)
		}
	}
	return msgs
}

// What a script does that goes on is answered by the call that waits for it (Codex 0.169).
func TestScriptsThatAreAwaited(t *testing.T) {
	const stopped = "Script terminated\nWall time 2.0 seconds\nOutput:\n"
	const goesOn = `{"chunk_id":"7a","wall_time_seconds":30.1,"session_id":50,"output":"PASS\n"}`
	one := []string{running}
	for _, test := range []struct {
		name, source string
		first        []string
		waits        [][]string
		want         string // of each call: message, what it is, how it ended, what it polls
	}{
		{"a command that ended", command + "text(r);", one, [][]string{{completed, value}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... failed 3 \"FAIL\\n\" polls cell 7"},
		{"a command that ended, in one text", command + "text(JSON.stringify(r));", one,
			[][]string{{completed + "\n" + value}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... failed 3 \"FAIL\\n\" polls cell 7"},
		{"a command that goes on", command + "text(r);", one, [][]string{{completed, goesOn}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... unknown \"PASS\\n\" polls cell 7 in 50"},
		{"waited for twice", command + "text(r);", one, [][]string{one, {completed, value}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... unknown \"\" polls cell 7 in cell 7\n" +
				"4 exec_command go test ./... failed 3 \"FAIL\\n\" polls cell 7"},
		{"waited for again behind its end", command + "text(r);", one,
			[][]string{{completed, value}, {completed, value}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... failed 3 \"FAIL\\n\" polls cell 7\n" +
				"4 wait  unknown " + fmt.Sprintf("%q", value)},
		{"a patch", `text(await tools.apply_patch("` + patchText + `"));`, one,
			[][]string{{completed, "{}"}},
			"0 apply_patch update:a.go unknown \"\" in cell 7\n" +
				"2 apply_patch update:a.go ok \"{}\" polls cell 7"},
		{"two commands", twoReads + "for (const r of rs) text(r.output);", one,
			[][]string{{completed, "package a\n", "func b() {\n"}},
			"0 exec  unknown \"\" in cell 7\n" +
				"2 wait  unknown \"package a\\n\\nfunc b() {\\n\" polls cell 7\n" +
				"2 exec_command cat a.go unknown \"package a\\n\" shows a.go:1\n" +
				"2 exec_command sed -n 5,9p b.go unknown \"func b() {\\n\" shows b.go:5"},
		{"two commands, something was printed before", twoReads + `text("a"); text(rs[0].output);`,
			[]string{running, "a"}, [][]string{{completed, "x", "y"}},
			"0 exec  unknown \"a\" in cell 7\n2 wait  unknown \"x\\ny\" polls cell 7\n" +
				"2 exec_command cat a.go unknown \"\"\n" +
				"2 exec_command sed -n 5,9p b.go unknown \"\""},
		{"a value, something was printed before", command + "text(r);",
			[]string{running, "a"}, [][]string{{completed, value}},
			"0 exec_command go test ./... unknown \"a\" in cell 7\n" +
				"2 exec_command go test ./... unknown " + fmt.Sprintf("%q", value) +
				" loose polls cell 7"},
		{"stopped", command + "text(r);", one, [][]string{{stopped}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 wait  unknown \"\" polls cell 7"},
		{"an error that may be of the wait", command + "text(r);", one,
			[][]string{{failed, "Script error:\nno such cell"}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 wait  failed \"Script error:\\nno such cell\""},
		{"waited for again behind an error of the wait", command + "text(r);", one,
			[][]string{{failed, "Script error:\nno such cell"}, {completed, value}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 wait  failed \"Script error:\\nno such cell\"\n" +
				"4 exec_command go test ./... failed 3 \"FAIL\\n\" polls cell 7"},
		{"of another script", command + "text(r);", []string{completed, value},
			[][]string{{completed, value}},
			"0 exec_command go test ./... failed 3 \"FAIL\\n\"\n2 wait  unknown " +
				fmt.Sprintf("%q", value)},
		{"what is no script", "make the tea", one, [][]string{{completed, "tea\n"}},
			"0 exec  unknown \"\" in cell 7\n2 wait  unknown \"tea\\n\" polls cell 7"},
	} {
		msgs := awaited(t, test.source, test.first, test.waits...)
		for name, read := range map[string]*Transcript{
			"whole": ReadAll(msgs), "parts": partly(msgs),
		} {
			var lines []string
			for i := range read.Calls {
				c := &read.Calls[i]
				l := fmt.Sprint(c.Caller, " ", callLine(read, c))
				if c.Polls() != "" {
					l += " polls " + c.Polls()
				}
				if c.Session != "" {
					l += " in " + c.Session
				}
				if began := c.Began(); c.Caller > 0 && (c.Via != nil && began != 0 || began > 0) {
					t.Errorf("%s: message %d began it", test.name, began)
				}
				lines = append(lines, l)
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("%s (%s)\ngot\n%s\nwant\n%s", test.name, name, got, test.want)
			}
		}
	}
}

// A result that answers no call says nothing of a script.
func TestScriptsOfNoCall(t *testing.T) {
	msgs := awaited(t, "make the tea", []string{"tea"}, []string{running})
	orphan, err := chat.ParseMessage([]byte(strings.Replace(string(msgs[3].Raw), `"w0"`, `"x"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	read := ReadAll([]view.Message{msgs[2], orphan, msgs[3]})
	if c := &read.Calls[0]; c.Polls() != "" || c.Session != "" {
		t.Errorf("it goes on with %q in %q", c.Polls(), c.Session)
	}
}

// partly reads messages from the last to the first, as a conversation is that was folded before.
func partly(msgs []view.Message) *Transcript {
	memo, groups := NewMemo(nil), view.Groups(msgs)
	memo.Read(msgs, groups, groups[len(groups)-1].Start)
	return memo.Read(msgs, groups, 0)
}

// waiting is a conversation in which scripts go on and are waited for. Each script has its cell, a
// name.
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

// An id may be used again: a script that ends does not end another one for which a call with its id
// waited.
func TestWaitsWhoseIDsAreUsedAgain(t *testing.T) {
	const ended = "Script completed\nWall time 0.1 seconds\nOutput:\nok\n"
	w := new(waiting)
	w.begin("7", "make")
	w.wait("7", goingOn("7"))
	w.calls--
	w.turn("exec", "text(await tools.exec_command({cmd: 'ls'}))", ended)
	w.wait("7", ended)
	calls := ReadAll(w.request(t, new(view.Parser)).Messages()).Calls
	if c := &calls[3]; c.Polls() != "cell 7" || c.Command != "make" || c.Began() != 1 {
		t.Errorf("%q goes on with %q, begun by %d", c.Command, c.Polls(), c.Began())
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

// What was said last of a script is found however much was said of others since.
func TestWaitsForScriptsOfLongAgo(t *testing.T) {
	const scripts = 200
	w := new(waiting)
	for i := range scripts {
		w.begin(fmt.Sprint("c", i), fmt.Sprint("make ", i))
	}
	for i := range scripts {
		w.wait(fmt.Sprint("c", i), goingOn(fmt.Sprint("c", i)))
	}
	w.wait("unknown", goingOn("unknown"))
	calls := ReadAll(w.request(t, new(view.Parser)).Messages()).Calls
	for i := range scripts {
		if c := &calls[scripts+i]; c.Command != fmt.Sprint("make ", i) || c.Began() != 2*i+1 {
			t.Fatalf("wait %d: %q, begun by %d", i, c.Command, c.Began())
		}
	}
	if c := &calls[2*scripts]; c.Began() != -1 {
		t.Errorf("a wait for an unknown script: begun by %d", c.Began())
	}
}

// Each search takes little time, also if it finds nothing.
func TestSearchesForManyScripts(t *testing.T) {
	const scripts = 200_000
	var l saidList
	start := cputime.Used()
	for i := range scripts {
		l.all = append(l.all, said{message: i, session: fmt.Sprint("c", i)})
		if l.last("unknown", i+1) != nil || i > 100 && l.last("c7", i+1).message != 7 {
			t.Fatalf("wrong script after %d", i)
		}
	}
	if took := cputime.Used() - start; took > 10*time.Second {
		t.Errorf("%d searches took %v", scripts, took)
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

// Only the tool that waits for a script waits for one, and only for what can be a cell.
func TestWhatACallWaitsFor(t *testing.T) {
	for call, want := range map[string]string{
		`wait {\"cell_id\":\"7\"}`:     "cell 7",
		`wait {\"cell_id\":\"a b\"}`:   "",
		`wait {\"cell_id\":\"\"}`:      "",
		`wait {\"id\":\"7\"}`:          "",
		`run_cell {\"cell_id\":\"7\"}`: "",
	} {
		name, arguments, _ := strings.Cut(call, " ")
		m, err := chat.ParseMessage([]byte(`{"role":"assistant","tool_calls":[{"id":"a",` +
			`"type":"function","function":{"name":"` + name + `","arguments":"` +
			arguments + `"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		c := NewCall(m.ToolCalls()[0], 0)
		if got := c.awaits(); got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}
