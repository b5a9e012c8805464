package quotes

import (
	"fmt"
	"strings"

	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/view"
)

// Attached is what one message has beside text: images, documents, files.
type Attached struct {
	At    int    `json:"message"` // or the one that makes the call
	Of    string `json:"of"`      // a call, or who wrote the message
	Shown string `json:"shown"`   // as in a record
}

// Limits on what is shown of the attachments of one message.
const (
	maxAttached     = 4  // different ones
	maxAttachedText = 80 // bytes of a type, and of a name
)

// Attached returns what messages in [from, to) have beside text, newest first: at most most.
func (s *Source) Attached(from, to, most int) (list []Attached) {
	for i := to - 1; i >= from && len(list) < most; i-- {
		if attached := s.Messages[i].Attachments(); len(attached) > 0 {
			at, of := s.attachedBy(i, from)
			list = append(list, Attached{At: at + 1, Of: of, Shown: s.attachments(attached)})
		}
	}
	return list
}

// attachments lists attachments: "2 × image/png, application/pdf "Annual report"".
func (s *Source) attachments(list []view.Attachment) string {
	var names []string
	times := map[string]int{}
	for _, a := range list {
		name := excerpt.Quote(s.Redacted(a.Type), maxAttachedText)
		if a.Name != "" {
			name += ` "` + strings.ReplaceAll(excerpt.Quote(s.Redacted(a.Name), maxAttachedText),
				`"`, "'") + `"`
		}
		if times[name]++; times[name] == 1 {
			names = append(names, name)
		}
	}
	more := 0
	for i, name := range names {
		switch n := times[name]; {
		case i >= maxAttached:
			more += n
		case n > 1:
			names[i] = fmt.Sprintf("%d × %s", n, name)
		}
	}
	if more > 0 {
		names = append(names[:maxAttached], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// attachedBy returns the call that message i answers with its message, or else who wrote message i.
func (s *Source) attachedBy(i, from int) (at int, of string) {
	n := s.Answered(i)
	if n < 0 {
		n = s.answeredAbove(i, from)
	}
	if n >= 0 {
		c := s.Calls[n].Made()
		return c.Caller, s.Redacted(describe.Call(s.SafeCall(c), describe.MaxArguments/2))
	}
	if role := s.Messages[i].Role(); role != view.User {
		return i, excerpt.Line(string(role))
	}
	return i, string(s.Message(i).Speaker)
}

// answeredAbove returns the call that a tool returned the images and files of message i for, -1 if
// message i is another or has those of several calls. The call is in [from, i).
func (s *Source) answeredAbove(i, from int) int {
	if i-2 < from || s.Messages[i].Role() != view.User || !s.Message(i).OfTools ||
		s.Messages[i-2].Role().Result() {
		return -1
	}
	return s.Answered(i - 1)
}
