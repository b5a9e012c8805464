package model

import "time"

// Step is one request to a model and what came of it, for debug dumps. Its texts
// went through Options.Redact. They quote the conversation all the same.
type Step struct {
	Task     string        `json:"task"` // statements, verdicts, questions, answers or grades
	Key      string        `json:"key"`  // of the Call
	Form     Form          `json:"form"` // that was asked for
	Model    string        `json:"model"`
	Append   bool          `json:"append"` // the prompt stood behind the client's own messages, which are left out here
	Prompt   []string      `json:"prompt"` // what we said, and in between what the model had answered to it
	Answer   string        `json:"answer"`
	Spent    Spent         `json:"spent"`
	Duration time.Duration `json:"nanoseconds"`
	Error    string        `json:"error,omitempty"` // "" if the endpoint answered; else one of Reason
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
