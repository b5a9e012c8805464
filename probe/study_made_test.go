package probe_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/chat"
	"killick/probe"
)

// Real conversations rarely have many checks, tasks or values that are nearly the same. Here such conversations are made, so
// that one is taken for another where that can happen at all.

// maker makes conversations.
type maker struct {
	author
	raws []string
}

func (m *maker) say(role, text string) {
	raw, _ := json.Marshal(map[string]string{"role": role, "content": text})
	m.raws = append(m.raws, string(raw))
}

func (m *maker) call(tool string, args any, result string) {
	inner, _ := json.Marshal(args)
	arguments, _ := json.Marshal(string(inner))
	output, _ := json.Marshal(result)
	id := fmt.Sprintf("c%d", len(m.raws))
	m.raws = append(m.raws,
		fmt.Sprintf(`{"role":"assistant","content":"Working on it.","tool_calls":[{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}]}`, id, tool, arguments),
		fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%s}`, id, output))
}

func (m *maker) talk(t *testing.T) *talk {
	t.Helper()
	one := &talk{id: "made"}
	for _, raw := range m.raws {
		msg, err := chat.ParseMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		turn, err := parseTurn([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		one.msgs, one.turns = append(one.msgs, msg), append(one.turns, turn)
	}
	return one
}

// checks runs commands, alone and in a row, that end well or not.
func (m *maker) checks() {
	for range 2 + m.rng.IntN(4) {
		command := m.one("go test ./...", "go build ./...", "go vet ./...", "mise run test", "mise run test:integration", "mise run test:ci", "mise run lint",
			"npm test", "npm run check", "npx tsc --noEmit", "pytest -q", "make test", "golangci-lint run", "npm run build", "timeout 60s go test ./db",
			"mise run fmt && mise run lint && mise run test", "mise run lint && mise run test:integration", "go build ./... && go test ./...")
		m.call("Bash", map[string]string{"command": command}, m.one("ok  \tshop/db\t0.1s", "PASS", "12 passed", "0 issues.",
			"--- FAIL: TestOrders (0.01s)\nFAIL", "FAIL\tshop/db [build failed]", "Exit code 1\n[lint] ERROR task failed", "Exit code 1\nmain.go:12:2: undefined: x",
			"Error: cannot find module", "Exit code 2\n[test:integration] ERROR task failed\n--- FAIL: TestX (0.2s)"))
	}
}

// values states some, many of them of the same name.
func (m *maker) values() {
	for range 1 + m.rng.IntN(4) {
		n := fmt.Sprint(10 + m.rng.IntN(90)*[]int{1, 10, 100, 7}[m.rng.IntN(4)])
		of, label := m.one("order", "retry", "cache", "upload", "worker"), m.one("timeout", "limit", "port", "threshold", "interval")
		switch label {
		case "timeout", "interval":
			n += m.one(" ms", " seconds", "s", " minutes")
		case "limit":
			n += m.one(" MB", " items", "k", "")
		}
		name := of + " " + label
		m.say("user", m.one("Set the "+name+" to "+n, "The "+name+" is "+n, "We need a "+name+" of "+n, "Change the "+name+" from 7"+n+" to "+n,
			"please use a "+name+" of "+n+", that is what the clients expect", "I'd like the "+label+" to be "+n+" for the "+of,
			"Look at PR #"+n+" before you touch the "+of+" code", "The ticket is ORD-"+n, "the "+of+" branch is fix/"+of+"-"+n)+".")
		m.say("assistant", "I will do that next.")
	}
}

// decisions are told by either side, as plain statements and by the way.
func (m *maker) decisions() {
	things := []string{"a map", "`ctx.Done()`", "the default model", "session ids", "session names", "inline styles", "the `--model` flag", "environment variables",
		"JSON objects", "`localStorage`", "a single file", "an empty array", "the raw text", "tool results", "streaming", "polling", "absolute paths", "relative paths"}
	at := m.rng.Perm(len(things))
	x, y := things[at[0]], things[at[1]]
	m.say(m.one("user", "assistant"), m.one("Use "+x+" instead of "+y+".", "Let's use "+x+" instead of "+y+" for the session list.",
		"I'm using "+x+" rather than "+y+" because it is simpler.", "The function should return "+x+" instead of "+y+".",
		"I decided to use "+x+" in favor of "+y+".", "Now it works with "+x+" instead of "+y+" when the model is unknown."))
	m.say("assistant", "The list shows now, I will go on with the picker.")
}

// tasks writes a plan down.
func (m *maker) tasks() {
	subjects := []string{"Create wrapper script for Gemini hooks", "Update Gemini hooks.go for wrapper script", "Update Gemini integration test for wrapper script",
		"Implement OnPromptStart hook for overlap check", "Implement OnPromptEnd hook to clear flag", "Implement shadow branch reset in SaveChanges",
		"Implement overlap detection helper functions", "Add ShouldResetShadowBranch field to SessionState", "Wire up hooks to CLI hook handlers",
		"Simplify PrepareCommitMsg (always fresh ID)", "Fix missing error messages of the login handler", "Write unit tests for the login handler"}
	var items []map[string]string
	for _, i := range m.rng.Perm(len(subjects))[:3+m.rng.IntN(5)] {
		items = append(items, map[string]string{"content": subjects[i], "status": m.one("completed", "pending")})
	}
	m.call("TodoWrite", map[string]any{"todos": items}, "ok")
}

func TestDiscriminationOfMadeTalks(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(*maker)
		how  spoil
	}{
		{"checks", (*maker).checks, failurePassed},
		{"values", (*maker).values, valueChanged},
		{"decisions", (*maker).decisions, optionSwapped},
		{"tasks", (*maker).tasks, doneSwapped},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spoilt, missed, vetoed := 0, 0, 0
			many := 300
			if testing.Short() {
				many = 60
			}
			for seed := range uint64(many) {
				m := &maker{author: author{rand.New(rand.NewPCG(seed, 23))}}
				m.say("user", "Make the order service faster and split the big handler into parts.")
				tt.make(m)
				one := m.talk(t)
				exam := probe.Prepare(one.msgs, probe.Config{})
				sh := faithful(one, one.facts(), seed)
				if r := exam.Ask(sh.text()); r.Verdict == probe.HardFail {
					vetoed++
					t.Logf("a faithful summary is refused of\n%s\n%s%s", strings.Join(m.raws, "\n"), sh.text(), wrongAnswers(r))
				}
				if bad := sh.contradicting(tt.how); bad != nil {
					spoilt++
					if r := exam.Ask(bad.text()); r.Verdict != probe.HardFail {
						missed++
						t.Logf("a wrong summary is not refused of\n%s\n%s%s", strings.Join(m.raws, "\n"), bad.text(), wrongAnswers(r))
					}
				}
			}
			if missed > 0 || spoilt < many/4 || vetoed > many/100 {
				t.Errorf("%d of %d wrong summaries were missed, %d of %d faithful ones refused; want none, and one in a hundred at most", missed, spoilt, vetoed, many)
			}
		})
	}
}
