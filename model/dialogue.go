package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"

	"killick/chat"
)

// dialogue is what one task needs to ask a model, more than once if it must.
type dialogue struct {
	c      *Client
	task   string
	to     endpoint
	key    string
	prefix *chat.Request // append; nil: standalone
	rules  string        // standalone: what the model is told before all else
	spent  Spent
}

// turn is a message of ours, or of the model's to us.
type turn struct {
	role string
	text string
}

func told(text string) turn   { return turn{openai.ChatMessageRoleUser, text} }
func answer(text string) turn { return turn{openai.ChatMessageRoleAssistant, text} }

// request is one request of a dialogue.
type request struct {
	turns   []turn
	shape   *shape // of the answer; nil: text
	noCalls bool   // the model called a tool before: forbid it, cached or not
	form    Form
}

// reply is what a model answered.
type reply struct {
	text    string
	refused bool // by its own sign, not by its words
	cut     bool // at the bound of the answer
	called  bool // it called a tool instead
}

// dialogue returns the way to a model for a task. Without append, rules are said
// first.
func (c *Client) dialogue(task string, call Call, rules string) (*dialogue, error) {
	d := &dialogue{c: c, task: task, key: call.Key, rules: rules}
	var err error
	if call.Prefix != nil {
		if d.prefix, err = chat.Parse(call.Prefix); err != nil {
			return nil, fmt.Errorf("asking for %s: %w: the body to append to: %w", task, ErrRejected, err)
		}
	}
	if d.to, err = c.endpoint(call, d.prefix); err != nil {
		return nil, fmt.Errorf("asking for %s: %w", task, err)
	}
	return d, nil
}

// errNoTurns is a standalone call with nothing to be asked about.
var errNoTurns = errors.New("there are no turns to ask about")

// apart returns the way to a model that sees nothing of the conversation: in append
// it is the same model, asked with the same key, but standalone.
func (c *Client) apart(task string, call Call, data fence) (*dialogue, error) {
	d, err := c.dialogue(task, call, data.rules())
	if err != nil {
		return nil, err
	}
	d.prefix = nil
	return d, nil
}

// ask makes a request, in older and older dialects until the endpoint takes it.
// What the endpoint does not understand is learnt and not sent again.
func (d *dialogue) ask(ctx context.Context, r request) (reply, error) {
	known := d.c.dialects.of(d.to)
	for try := known; ; {
		w := d.write(r, try)
		got, refusal, err := d.send(ctx, r, w)
		if refusal.status != 0 {
			if next, named, ok := try.lower(refusal, w); ok {
				if named {
					d.c.dialects.learn(d.to, next)
					known = next
				}
				try = next
				continue
			}
		}
		if err == nil && try != known {
			d.c.dialects.learn(d.to, try)
		}
		if err != nil {
			err = fmt.Errorf("asking %s for %s: %w", d.to.url.Host, d.task, err)
		}
		return got, err
	}
}

// mostOutput bounds an answer: in a small window it leaves three quarters to what
// is asked about.
func (d *dialogue) mostOutput() int {
	if d.prefix != nil {
		return d.c.opt.MaxOutput
	}
	return min(d.c.opt.MaxOutput, d.c.opt.Window/4)
}

// written is a request as it goes out.
type written struct {
	typed     openai.ChatCompletionRequest // standalone
	raw       []byte                       // append
	formatted bool                         // a response_format of ours is in it
	bounded   bool                         // a bound of ours is in it
	clients   bool                         // in the place of the client's
}

func (d *dialogue) write(r request, as dialect) written {
	if d.prefix != nil {
		return d.appended(r, as)
	}
	w := written{typed: openai.ChatCompletionRequest{Model: d.to.model}}
	turns := slices.Insert(slices.Clone(r.turns), 0, turn{openai.ChatMessageRoleSystem, d.rules})
	if as.strict {
		turns = turns[1:]
		turns[0].text = d.rules + "\n\n" + turns[0].text
	}
	for _, t := range turns {
		w.typed.Messages = append(w.typed.Messages, openai.ChatCompletionMessage{Role: t.role, Content: t.text})
	}
	switch as.bound {
	case maxCompletionTokens:
		w.typed.MaxCompletionTokens = d.mostOutput()
	case maxTokens:
		//lint:ignore SA1019 the older name is the one that older endpoints know
		w.typed.MaxTokens = d.mostOutput()
	}
	w.bounded = as.bound != noBound
	if r.shape != nil && as.format != noFormat {
		w.formatted = true
		w.typed.ResponseFormat = r.shape.format(as.format)
	}
	return w
}

// refusal is why an endpoint did not take a request. Its words are looked at to
// learn the dialect, and go nowhere else.
type refusal struct {
	status int
	words  string
}

// send makes one request.
func (d *dialogue) send(ctx context.Context, r request, w written) (reply, refusal, error) {
	bounded, cancel := context.WithTimeout(ctx, d.c.opt.Timeout)
	defer cancel()
	var sent int
	var why refusal
	started := time.Now()
	resp, err := d.c.breakers.of(d.to).Execute(func() (openai.ChatCompletionResponse, error) {
		if err := d.c.limits.take(d.key); err != nil {
			return openai.ChatCompletionResponse{}, err
		}
		resp, err := d.openai(w, &sent).CreateChatCompletion(bounded, w.typed)
		if err == nil && len(resp.Choices) == 0 {
			err = errNoChoice
		}
		why, err = d.classify(bounded, err)
		return resp, err
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return reply{}, refusal{}, fmt.Errorf("%w: it is left alone after %d failures in a row", ErrUnavailable, d.c.opt.Trips)
	case errors.Is(err, ErrLimit):
		return reply{}, refusal{}, err
	}
	var got reply
	var spent Spent
	if sent > 0 { // go-openai may refuse a request by itself
		spent.Calls = 1
	}
	if err == nil {
		got = read(resp.Choices[0])
		spent = d.c.opt.Prices(d.to.model).spent(resp.Usage, sent, len(got.text))
	}
	d.spent.Add(spent)
	d.c.limits.pay(d.key, spent.Cost)
	d.trace(r, got, spent, time.Since(started), err)
	return got, why, err
}

// openai returns go-openai's client for one request. In append its body is a
// stand-in that the transport replaces.
func (d *dialogue) openai(w written, sent *int) *openai.Client {
	cfg := openai.DefaultConfig("")
	cfg.HTTPClient = doer{transport: d.c.opt.Transport, url: d.to.url, header: d.to.header, body: w.raw, sent: sent}
	return openai.NewClientWithConfig(cfg)
}

func read(choice openai.ChatCompletionChoice) reply {
	m := choice.Message
	text := m.Content
	for _, part := range m.MultiContent {
		text += part.Text
	}
	return reply{
		text:    text,
		refused: m.Refusal != "" || choice.FinishReason == openai.FinishReasonContentFilter,
		cut:     choice.FinishReason == openai.FinishReasonLength,
		called:  text == "" && (len(m.ToolCalls) > 0 || m.FunctionCall != nil),
	}
}

// quote returns s as a JSON string.
func quote(s string) json.RawMessage { return chat.AppendQuoted(nil, s) }
