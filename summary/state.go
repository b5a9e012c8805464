package summary

import (
	"fmt"
	"strconv"
)

// intent names the messages that hold the task and the latest request.
func (sum *Summary) intent() []string {
	if sum.Task == 0 {
		return []string{"no message of a person stands in these turns"}
	}
	entries := []string{"task: message " + strconv.Itoa(sum.Task) + sum.whereKept(sum.Task)}
	if sum.Latest > sum.Task {
		entries = append(entries, "latest request: message "+strconv.Itoa(sum.Latest)+
			sum.whereKept(sum.Latest))
	}
	return entries
}

func (sum *Summary) whereKept(at int) string {
	for _, k := range sum.Kept {
		if k.At == at && k.Cut {
			return ", kept above with a marked cut"
		} else if k.At == at {
			return ", kept above as it came"
		}
	}
	return ""
}

// stateShare is the share of the current state, in percent.
const stateShare = 12

// state returns the assistant's last words, and its last call. Words that stand beside one of the
// newest shown messages of the user are not repeated, unless there is room for more of them here.
func (sum *Summary) state(dir string, room, shown int) (entries []string) {
	if sum.State != nil {
		entries = append(entries, sum.State.Line())
		most := max(room*stateShare/100, minRequired)
		for i := range sum.Words[:shown] {
			if q := sum.Words[i].Answers; q != nil && q.At == sum.State.At &&
				len(q.Text) >= min(len(sum.State.Text), most) {
				entries[0] = fmt.Sprintf("last words: message %d, quoted above", q.At)
			}
		}
	}
	if sum.LastCall != nil {
		entries = append(entries,
			sum.LastCall.label()+sum.entryOf(dir, sum.LastCall.At, sum.LastCall.Text))
	}
	if len(entries) == 0 {
		return []string{"the assistant has said and called nothing in these turns"}
	}
	return entries
}

// entryOf returns a call with its message. Paths of files are relative to dir.
func (sum *Summary) entryOf(dir string, at int, text string) string {
	return strconv.Itoa(at) + " " + sum.callIn(dir, text)
}

// label begins the entry of the last call.
func (c *Call) label() string {
	if c.BeforeTodos {
		return "last call beside those on the todo list: "
	}
	return "last call: "
}

// listedBelow stands in place of the arguments of a call that a section shows.
const listedBelow = ", listed below"
