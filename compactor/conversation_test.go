package compactor

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/summary"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// session is [chattest.Session].
func session(seed uint64, n int) []string { return chattest.Session(seed, n) }

// body is [chattest.Body].
func body(msgs []string) []byte { return chattest.Body(msgs) }

// turns calls yield with the number of messages of each request that led to msgs: an agent sends
// what precedes each assistant message, then all.
func turns(t testing.TB, msgs []string, yield func(n int)) {
	for i, raw := range msgs {
		if i > 0 && chattest.Message(t, raw).Role() == view.Assistant {
			yield(i)
		}
	}
	yield(len(msgs))
}

func parse(t testing.TB, body []byte) *view.Request {
	t.Helper()
	return chattest.Request(t, body)
}

// tally is what must not be lost of messages.
type tally struct {
	orphans, open int // results without a call, calls without a result
	instructions  string
}

func tallyOf(msgs []view.Message) (t tally) {
	for _, g := range view.Groups(msgs) {
		if g.Open {
			t.open++
		}
		if msgs[g.Start].Role().Result() {
			t.orphans++
		}
	}
	for i := range msgs {
		if msgs[i].Role().Instructs() {
			t.instructions += string(msgs[i].Raw) + "\x00"
		}
	}
	return t
}

// checkForm checks a forwarded request against the rules that hold for every form.
func checkForm(t testing.TB, in, out []byte) {
	t.Helper()
	checkFormUpTo(t, in, out, math.MaxInt)
}

// checkFormUpTo is checkForm where messages of persons of more tokens are cut.
func checkFormUpTo(t testing.TB, in, out []byte, whole int) {
	t.Helper()
	was, is := parse(t, in), parse(t, out)
	old, new := was.Messages(), is.Messages()
	before, after := tallyOf(old), tallyOf(new)
	if after.orphans != 0 && before.orphans == 0 || after.open > before.open {
		t.Errorf("%d results without a call, %d calls without a result", after.orphans, after.open)
	}
	if before.instructions != after.instructions {
		t.Error("a system or developer message changed")
	}
	last := old[len(old)-1].Raw
	head, tail := bytes.Index(in, old[0].Raw), bytes.LastIndex(in, last)+len(last)
	if !bytes.HasPrefix(out, in[:head]) || !bytes.HasSuffix(out, in[tail:]) {
		t.Error("a byte outside the messages changed")
	}
	if len(out) > len(in) {
		t.Errorf("grown from %d to %d bytes", len(in), len(out))
	}
	checkWords(t, out, old, whole)
}

// Limits of the messages of persons that must stay.
const (
	alwaysKept  = 20  // the newest of them stay whatever the room
	keptMessage = 400 // tokens of one of these; of a longer one its ends stay
	maxPinned   = 50  // messages that the operator's pins may hold
)

// checkWords looks in what is forwarded for the words of persons that always stay, as
// the client spelled them: the task and the latest request, unless they are longer than
// whole, and the newest messages that are not long.
func checkWords(t testing.TB, out []byte, old []view.Message, whole int) {
	t.Helper()
	requests := requestsIn(old)
	for n, i := range requests {
		first, newest := n == 0, n == len(requests)-1
		most := keptMessage
		if first || newest {
			most = whole
		} else if len(requests)-n > alwaysKept {
			continue
		}
		if (byteCounter{}).Message(&old[i]) > most {
			continue
		}
		for part := range old[i].Parts() {
			if part.Text != nil && !bytes.Contains(out, part.Text.StringBody()) {
				t.Errorf(
					"the words of message %d are lost, the %d. of %d of persons: %.100s",
					i,
					n+1,
					len(requests),
					part.Text,
				)
			}
		}
	}
}

// requestsIn are the messages of persons.
func requestsIn(msgs []view.Message) (found []int) {
	for i := range msgs {
		if isRequest(&msgs[i]) {
			found = append(found, i)
		}
	}
	return found
}

// isRequest reports whether a person typed in a message.
func isRequest(m *view.Message) bool {
	t := transcript.ReadAll([]view.Message{*m})
	return m.Role() == view.User && t.Message(0).Speaker == speech.Person
}

// recordsIn are the texts of the records in a request.
func recordsIn(r *view.Request) (texts []string) {
	for i := range r.Messages() {
		if text := r.Messages()[i].Text(); strings.Contains(text, summary.Mark) {
			texts = append(texts, text)
		}
	}
	return texts
}

// randomSeeds is how many random conversations a test takes: under the race detector,
// which is slow, the run is short and one has to do.
func randomSeeds(n uint64) uint64 {
	if testing.Short() {
		return 1
	}
	return n
}

// randomTurns is how long such a conversation is, which for the same reason is half
// as long there.
func randomTurns(n int) int {
	if testing.Short() {
		return n / 2
	}
	return n
}

// sequential skips a long test in which nothing runs at once, under the race detector.
func sequential(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("nothing runs at once in it: the race detector has nothing to find")
	}
}
