package endpoint

import (
	"errors"
	"fmt"

	"killick/rawjson"
)

// maxAnswerBytes bounds the body of an endpoint's reply. The longest accepted summary has
// about 150 KB.
const maxAnswerBytes = 4 << 20

var (
	errAnswerSize = errors.New("the reply has more than 4 MiB")
	errRedirect   = errors.New("the endpoint redirects, and a credential is not sent on")
	errNoAnswer   = errors.New("a reply without an answer")
)

// answer is a raw reply, and the tokens that it reports.
type answer struct {
	reply Reply
	used  Usage
}

// rejection is an endpoint's rejection of a request. Its words decide what is learned about
// the dialect, and are used for nothing else.
type rejection struct {
	status int
	words  string
}

func (r rejection) Error() string { return fmt.Sprintf("status %d", r.status) }

// rejectionOf reads an error. All formats have an object with a message; without one, the whole
// body is read.
func rejectionOf(status int, body []byte) rejection {
	body = body[rawjson.Space(body, 0):]
	if _, err := rawjson.Skip(body, 0); err == nil {
		if of := rawjson.Value(body).Get("error"); of.Kind() == rawjson.Object {
			return rejection{status, wordsOf(of)}
		}
	}
	return rejection{status, string(body)}
}

// wordsOf returns the text of an error, ignoring members that may echo the request.
func wordsOf(of rawjson.Value) (words string) {
	for _, name := range []string{"code", "message", "param"} {
		if v := of.Get(name); v.Kind() == rawjson.String {
			words += v.Text() + " "
		} else {
			words += string(v) + " "
		}
	}
	return words
}
