package endpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"
)

// Ask makes a request, in older and older dialects until the endpoint takes it. What
// the endpoint does not understand is learnt and not sent again. An error wraps one of
// this package's.
func (c *Client) Ask(ctx context.Context, r Request) (Reply, error) {
	known := c.dialects.get(r.Target)
	for try := known; ; {
		w := r.write(try)
		got, rejected, err := c.send(ctx, &r, w)
		if rejected.status != 0 {
			if next, named, ok := try.older(rejected, w); ok {
				if named {
					c.dialects.learn(r.Target, next)
					known = next
				}
				try = next
				continue
			}
		}
		if err == nil && try != known {
			c.dialects.learn(r.Target, try)
		}
		return got, err
	}
}

// rejection is why an endpoint did not take a request. Its words decide what is learnt
// of the dialect, and go nowhere else.
type rejection struct {
	status int
	words  string
}

// send makes one HTTP request.
func (c *Client) send(ctx context.Context, r *Request, w written) (Reply, rejection, error) {
	bounded, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	var sent int
	var why rejection
	started := time.Now()
	resp, err := c.breakers.get(r.Target).Execute(func() (openai.ChatCompletionResponse, error) {
		if err := c.limits.take(r.Key); err != nil {
			return openai.ChatCompletionResponse{}, err
		}
		resp, err := c.openai(r, w, &sent).CreateChatCompletion(bounded, w.typed)
		if err == nil && len(resp.Choices) == 0 {
			err = errNoChoice
		}
		why, err = classify(bounded, err, r.Target.Own)
		return resp, err
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return Reply{}, rejection{}, fmt.Errorf("%w: it is left alone after %d failures in a row",
			ErrUnavailable, c.opt.TripAfter)
	case errors.Is(err, ErrLimit):
		return Reply{}, rejection{}, err
	}
	e := Exchange{Duration: time.Since(started), Err: err}
	if sent > 0 { // go-openai may refuse a request by itself
		e.Usage.Calls = 1
	}
	if err == nil {
		e.Reply = read(resp.Choices[0])
		e.Usage = c.opt.Prices(r.Target.Model).usage(resp.Usage, sent, len(e.Reply.Text))
	}
	c.limits.pay(r.Key, e.Usage.Cost)
	if r.Report != nil {
		r.Report(e)
	}
	return e.Reply, why, err
}

// openai returns go-openai's client for one request. In append the transport sends our
// bytes in the place of its body.
func (c *Client) openai(r *Request, w written, sent *int) *openai.Client {
	cfg := openai.DefaultConfig("")
	cfg.HTTPClient = doer{
		transport: c.opt.Transport, url: r.Target.URL, header: r.Target.Header,
		body: w.raw, sent: sent,
	}
	return openai.NewClientWithConfig(cfg)
}

func read(choice openai.ChatCompletionChoice) Reply {
	m := choice.Message
	text := m.Content
	for _, part := range m.MultiContent {
		text += part.Text
	}
	return Reply{
		Text:       text,
		Refused:    m.Refusal != "" || choice.FinishReason == openai.FinishReasonContentFilter,
		Cut:        choice.FinishReason == openai.FinishReasonLength,
		CalledTool: text == "" && (len(m.ToolCalls) > 0 || m.FunctionCall != nil),
	}
}
