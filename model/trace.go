package model

import "time"

// Step is one request to a model and what came of it, for debug dumps. Its texts
// went through Options.Redact. They quote the conversation all the same.
type Step struct {
	Task     string // a summary, questions or answers
	Key      string // of the Call
	Form     Form   // that was asked for
	Model    string
	Append   bool     // the prompt stood behind the client's own messages, which are left out here
	Prompt   []string // what we said, and in between what the model had answered to it
	Answer   string
	Spent    Spent
	Duration time.Duration
	Error    string // "" if the endpoint answered; else one of Reason
}

// trace tells the hook of a request.
func (d *dialogue) trace(r request, got reply, spent Spent, took time.Duration, err error) {
	if d.c.opt.Trace == nil {
		return
	}
	step := Step{Task: d.task, Key: d.key, Form: r.form, Model: d.to.model, Append: d.prefix != nil,
		Answer: d.c.opt.Redact(got.text), Spent: spent, Duration: took, Error: Reason(err)}
	for _, t := range r.turns {
		step.Prompt = append(step.Prompt, d.c.opt.Redact(t.text))
	}
	d.c.opt.Trace(step)
}
