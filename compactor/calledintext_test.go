package compactor

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// calledInText is a conversation of agents whose calls and results are text. The person interrupts
// and writes after results.
func calledInText(seed uint64, turns int) (msgs []string) {
	r := rand.New(rand.NewPCG(seed, 2))
	say := func(role view.Role, text string) { msgs = append(msgs, chattest.Says(role, text)) }
	say(view.User, "Settle the tickets.")
	if r.IntN(3) == 0 {
		msgs = nil
	}
	for n := range turns {
		path := fmt.Sprintf("f%d.go", r.IntN(4))
		text := strings.Repeat(fmt.Sprintf("func step%d() error // ERR-%d\n", r.IntN(9), n),
			1+r.IntN(60))
		switch r.IntN(8) {
		case 0:
			say(view.Assistant, "Action: read\nAction Input: {\"path\": \""+path+"\"}")
			say(view.User, "Observation: "+text)
		case 1:
			say(view.Assistant, "I run it.\n```bash\ncat "+path+"\n```")
			say(view.User, fmt.Sprintf("<returncode>%d</returncode>\n<output>\n%s</output>",
				r.IntN(2), text))
		case 2:
			say(view.Assistant, "I write.\n```bash\nsed -i s/a/b/ "+path+"\n```")
			say(view.User, "OBSERVATION:\n"+text)
		case 3:
			say(view.Assistant, "Calling tools:\n[{'id': 'call_1', 'function': {'n': '"+path+"'}}]")
			if say := "Observation:\n" + text; r.IntN(3) == 0 {
				msgs = append(msgs, chattest.Says(view.User, say+"\nNew task:\nUse code "+path))
			} else {
				msgs = append(msgs, chattest.UserParts(chattest.Part(say)))
			}
		case 4:
			say(view.Assistant, "<function=ls>\n"+path+"</function>")
			parts := []string{chattest.Part("EXECUTION RESULT of [ls]:\n" + text)}
			if r.IntN(2) == 0 {
				parts = append(parts, chattest.Part("Stop that, "+path))
			}
			msgs = append(msgs, chattest.UserParts(parts...))
		case 5:
			msgs = append(msgs,
				chattest.Exchange("read_file", chattest.Object("path", path), text)...)
		case 6:
			say(view.User, "Observation: "+text)
		default:
			say(view.Assistant, fmt.Sprint("That is ticket ", n, "."))
			say(view.User, []string{"Go on.", text, fmt.Sprint("Use code ", n, ".")}[r.IntN(3)])
		}
	}
	return msgs
}

// What is forwarded follows from the messages alone where calls and results are text, too.
func TestCallsInTextAreDecidedByTheirMessages(t *testing.T) {
	all := policies()
	all["auto"] = settings.Policy{Auto: true}
	for name, policy := range all {
		for seed := range randomSeeds(2) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				followed(t, policy, calledInText(seed, randomTurns(60)))
			})
		}
	}
}
