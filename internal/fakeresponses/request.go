package fakeresponses

// Request is a request that was accepted, as the script sees it. It is not to be changed.
type Request struct {
	Body  Object   // as received
	Model string   // as it asks for
	Items []Object // the whole conversation: what the server keeps of it, then the input
	Kept  int      // how many of the items the server kept

	organization string
}

// Stream reports whether the answer is to be a stream.
func (r *Request) Stream() bool { return r.Body["stream"] == true }

// Last returns the last item of the conversation, nil if there is none.
func (r *Request) Last() Object {
	if len(r.Items) == 0 {
		return nil
	}
	return r.Items[len(r.Items)-1]
}

// conversation returns the id of the conversation that the request belongs to, "" for none.
func (r *Request) conversation() string {
	if id := r.Body.Text("conversation"); id != "" {
		return id
	}
	return r.Body.Object("conversation").Text("id")
}

// purpose is what a request is for.
type purpose int

const (
	toCreate  purpose = iota
	toCompact         // it may end with calls that have no output yet
	toCount           // likewise, and it need not name a model
)
