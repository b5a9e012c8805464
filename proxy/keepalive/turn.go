package keepalive

import (
	"encoding/binary"
	"hash/maphash"
	"net/http"
	"net/url"
	"time"

	"killick/chat"
	"killick/proxy/format"
	"killick/rawjson"
	"killick/view"
	"killick/view/marks"
)

// Conversation is one whose next request has come.
type Conversation struct {
	Who      string // keyed hash of the credential
	Upstream string
	Format   format.Format
	Request  *view.Request // as received; not retained
}

// Turn is a request in progress. A nil Turn does nothing. It must be used by one goroutine.
type Turn struct {
	keeper   *Keeper
	idle     *idlePeriod
	members  members
	sent     []byte // nil until Keep, and if it does not fit MaxHeld
	reserved int64
	url      *url.URL
	header   http.Header
}

// Begin ends the idle period of a conversation, and returns the Turn that may begin the next one.
// It is nil if no cache is to be kept alive afterwards: the prices or the lifetime are unknown, our
// request would not be accepted, or the model has not answered in the conversation yet.
func (k *Keeper) Begin(c Conversation) *Turn {
	if k == nil {
		return nil
	}
	now := time.Now()
	of := key{c.Who, c.Upstream, k.conversation(c.Request)}
	k.returned(of, now)
	model := c.Request.Model()
	priced, ok := k.opt.Prices(model)
	if !ok || !answered(c.Request) {
		return nil
	}
	m, ok := withLifetime(priced, marks.Retention(c.Request))
	if !ok {
		return nil
	}
	members, ok := shortened(c.Format, c.Request)
	if !ok {
		return nil
	}
	return &Turn{keeper: k, members: members, idle: &idlePeriod{
		key: of, service: service{c.Upstream, model}, prices: m, expires: now.Add(m.Lifetime),
		request: &request{format: c.Format, output: members.output},
	}}
}

// conversation identifies a conversation of any length by its beginning: the instructions, the
// tools, the first message after them and the first reply.
func (k *Keeper) conversation(r *view.Request) uint64 {
	b := binary.LittleEndian.AppendUint64(nil, r.PreambleHash())
	b = binary.LittleEndian.AppendUint64(b, r.FirstReplies(1))
	messages := r.Messages()
	for i := range messages {
		if !messages[i].Role().Instructs() {
			b = messages[i].AppendCanonical(b)
			break
		}
	}
	return maphash.Bytes(k.seed, b)
}

// answered reports whether the conversation has an answer of the model: most of those without one
// never continue.
func answered(r *view.Request) bool {
	messages := r.Messages()
	for i := range messages {
		if messages[i].Role() == view.Assistant {
			return true
		}
	}
	return false
}

// Keep keeps the accepted body, decoded, and its upstream request, until End. It reports whether it
// does: then body must not be modified.
func (t *Turn) Keep(body []byte, r *http.Request) bool {
	if t == nil || t.sent != nil || len(body) == 0 {
		return false
	}
	size := int64(cap(body))
	if !t.keeper.reserve(size) {
		t.keeper.metrics.requests.WithLabelValues(string(outcomeNoRoom)).Inc()
		return false
	}
	t.sent, t.reserved, t.url, t.header = body, size, r.URL, r.Header
	return true
}

// Reply is the result of a request.
type Reply struct {
	Whole bool // the reply was complete, and reported its usage
	Usage chat.Usage
	Cold  int // the size to which the next request is folded without a cache; 0: it is not
	// Do sends requests to the conversation's upstream.
	Do          func(*http.Request) (*http.Response, error)
	Used        Used
	Responsible Responsible
}

// End ends the request. If its reply was complete, the idle period begins.
func (t *Turn) End(reply Reply) {
	if t == nil || t.sent == nil {
		return
	}
	sent := t.sent
	t.sent = nil
	if !reply.Whole || reply.Usage.PromptTokens <= 0 {
		t.keeper.release(t.reserved)
		return
	}
	now, r := time.Now(), t.idle
	q := r.request
	q.url, q.header, q.do = t.url, headerOf(t.header), reply.Do
	r.used, r.responsible, r.ended = reply.Used, reply.Responsible, now
	r.tokens = tokensOf(reply.Usage, q.output)
	r.tokens.Cold = reply.Cold
	q.size = t.reserved
	if !t.keeper.mayPay(r, now) { // before anything is copied
		t.keeper.release(t.reserved)
		return
	}
	q.body = rawjson.WithMembers(sent, t.members.set)
	t.keeper.release(q.size - int64(cap(q.body)))
	q.size = int64(cap(q.body))
	t.keeper.hold(r, now)
}
