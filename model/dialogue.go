package model

import (
	"context"
	"errors"
	"fmt"

	"killick/model/endpoint"
	"killick/model/prompt"
	"killick/model/schema"
	"killick/view"
)

// dialogue is what one task needs to call a model, possibly more than once.
type dialogue struct {
	opt      *Options
	endpoint *endpoint.Client
	task     string
	request  endpoint.Request // what all its requests have in common
	fence    prompt.Fence     // of the data that it shows
	usage    Usage
}

// dialogue returns a dialogue for a task: after the conversation if the call has a prefix,
// else standalone.
func (c *Client) dialogue(task string, call Call) (*dialogue, error) {
	d := &dialogue{
		opt: &c.opt, endpoint: c.endpoint, task: task,
		fence:   prompt.NewFence(c.opt.Redact, c.opt.Count),
		request: endpoint.Request{Key: call.Key, MaxOutput: c.opt.MaxOutput},
	}
	var err error
	if call.Prefix != nil {
		if d.request.Prefix, err = view.Parse(call.format(), call.Prefix); err != nil {
			return nil, fmt.Errorf("asking for %s: %w: the body to append to: %w",
				task, endpoint.ErrRejected, err)
		}
	}
	if d.request.Target, err = c.target(call, d.request.Prefix); err != nil {
		return nil, fmt.Errorf("asking for %s: %w", task, err)
	}
	if d.request.Prefix == nil {
		d.detach()
	}
	return d, nil
}

// detached returns a dialogue that does not see the conversation: in append it uses the
// same model and key, but standalone.
func (c *Client) detached(task string, call Call) (*dialogue, error) {
	d, err := c.dialogue(task, call)
	if err != nil {
		return nil, err
	}
	d.detach()
	return d, nil
}

// detach makes the requests standalone. In a small window an answer is bounded so that
// three quarters are left for the input.
func (d *dialogue) detach() {
	d.request.Prefix = nil
	d.request.Rules = d.fence.Rules()
	d.request.MaxOutput = min(d.opt.MaxOutput, d.opt.Window/4)
}

// errNoTurns is a standalone call without turns.
var errNoTurns = errors.New("there are no turns to ask about")

// ask makes one request.
func (d *dialogue) ask(
	ctx context.Context, s *schema.Schema, form Form, forbidTools bool,
	messages ...endpoint.Message,
) (endpoint.Reply, error) {
	r := d.request
	r.Messages, r.ForbidTools = messages, forbidTools
	r.Schema = endpoint.Schema{Name: s.Name, JSON: s.JSON}
	r.Report = func(e endpoint.Exchange) {
		d.usage.Add(e.Usage)
		d.trace(&r, form, e)
	}
	got, err := d.endpoint.Ask(ctx, r)
	if err != nil {
		err = fmt.Errorf("asking %s for %s: %w", r.Target.URL.Host, d.task, err)
	}
	return got, err
}

// trace reports an exchange to the hook.
func (d *dialogue) trace(r *endpoint.Request, form Form, e endpoint.Exchange) {
	if d.opt.Trace == nil {
		return
	}
	step := Step{
		Task: d.task, Key: r.Key, Form: form, Model: r.Target.Model, Append: r.Prefix != nil,
		Answer: d.opt.Redact(e.Reply.Text), Usage: e.Usage, Duration: e.Duration,
		Error: Reason(e.Err),
	}
	for _, m := range r.Messages {
		step.Prompt = append(step.Prompt, d.opt.Redact(m.Text))
	}
	d.opt.Trace(step)
}
