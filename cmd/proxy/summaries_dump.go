package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"killick/compactor"
	"killick/model"
	"killick/redact"
)

// mostDumps bounds the files of one process: past it the oldest goes.
const mostDumps = 1000

// dumps writes what became of summaries into a folder, as files that nobody but
// their owner reads. They quote conversations, without the credentials in them.
// A nil *dumps writes nothing.
type dumps struct {
	dir string

	mu    sync.Mutex
	n     int
	files []string
}

func newDumps(dir string) (*dumps, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("debug.dump_dir: %w", plainPathError(err))
	}
	return &dumps{dir: dir}, nil
}

// preparationDump is the file of one summary.
type preparationDump struct {
	Outcome  string             `json:"outcome"`
	Error    string             `json:"error,omitempty"`
	Form     string             `json:"form,omitempty"`
	Seconds  float64            `json:"seconds"`
	Messages int                `json:"messages"` // of the conversation
	Folded   int                `json:"folded"`
	Written  compactor.Prose    `json:"written"`
	Refused  compactor.Refused  `json:"refused"`
	Account  *compactor.Account `json:"account,omitempty"` // what was taken of it
	Summary  *compactor.Summary `json:"summary,omitempty"` // what the rules found
	Record   string             `json:"record,omitempty"`
	ByRules  *compactor.Probe   `json:"probe_by_rules,omitempty"`
	Probe    *compactor.Probe   `json:"probe,omitempty"`
	Unasked  string             `json:"unasked,omitempty"`
	Answers  []answerDump       `json:"answers,omitempty"`
	Repairs  []string           `json:"repairs,omitempty"`
}

type answerDump struct {
	compactor.Asked
	Actual string  `json:"actual"`
	Score  float64 `json:"score"`
}

func (d *dumps) preparation(p compactor.Preparation) error {
	if d == nil {
		return nil
	}
	out := preparationDump{
		Outcome: p.Outcome, Form: p.Form, Seconds: p.Duration.Seconds(), Messages: p.WhenSent, Folded: p.Folded, Written: p.Written,
		Refused: p.Refused, Account: p.Account, Summary: p.Summary, Record: p.Record, ByRules: p.ByRules, Probe: p.Probe, Repairs: p.Repairs,
	}
	if p.Err != nil {
		out.Error = causeOf(p.Err)
	}
	if p.Unasked != nil {
		out.Unasked = causeOf(p.Unasked)
	}
	for i, q := range p.Asked {
		a := answerDump{Asked: q}
		if i < len(p.Answers) {
			a.Actual = p.Answers[i]
		}
		if i < len(p.Scores) {
			a.Score = p.Scores[i]
		}
		out.Answers = append(out.Answers, a)
	}
	return d.write("summary", out)
}

func (d *dumps) step(s model.Step) error {
	if d == nil {
		return nil
	}
	return d.write("request", s)
}

func (d *dumps) write(kind string, v any) error {
	plain, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var tree any
	if err := json.Unmarshal(plain, &tree); err != nil {
		return err
	}
	data, err := json.MarshalIndent(withoutCredentials(tree), "", "  ")
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	name := filepath.Join(d.dir, fmt.Sprintf("%s-%06d-%s.json", time.Now().UTC().Format("20060102T150405.000"), d.n, kind))
	if d.files = append(d.files, name); len(d.files) > mostDumps {
		_ = os.Remove(d.files[0])
		d.files = d.files[1:]
	}
	return os.WriteFile(name, append(data, '\n'), 0o600)
}

// withoutCredentials redacts every string, whatever compaction.redact says.
func withoutCredentials(v any) any {
	switch v := v.(type) {
	case string:
		return redact.Text(v)
	case []any:
		for i := range v {
			v[i] = withoutCredentials(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = withoutCredentials(v[key])
		}
	}
	return v
}
