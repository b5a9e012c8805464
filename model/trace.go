package model

import (
	"time"

	"killick/model/endpoint"
)

// Step is one request to a model and its result, for debug dumps. Its texts are redacted
// with Options.Redact, but quote the conversation.
type Step struct {
	Task  string `json:"task"` // statements, verdicts, questions, answers, grades or a summary
	Key   string `json:"key"`  // of the Call
	Form  Form   `json:"form"` // that was asked for
	Model string `json:"model"`
	// Append means that the prompt followed the client's own messages, which are omitted.
	Append bool `json:"append"`
	// Prompt has our messages, and the model's answers in between.
	Prompt   []string      `json:"prompt"`
	Answer   string        `json:"answer"`
	Usage    Usage         `json:"usage"`
	Duration time.Duration `json:"nanoseconds"`
	Error    string        `json:"error,omitempty"` // "" if the endpoint answered; else a Reason
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
