package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"killick/compaction"
	"killick/compactor/prepare"
	"killick/internal/patherror"
	"killick/model"
	"killick/probe"
	"killick/redact"
	"killick/summary"
)

// maxDumps is the maximum number of files of one process: past it the oldest is removed.
const maxDumps = 1000

// dumps writes summaries, and the calls that they took, into files of a folder that only their
// owner can read. They quote conversations, without credentials. A nil *dumps writes nothing.
type dumps struct {
	dir     string
	failing atomic.Bool // the last one was not written

	mu    sync.Mutex
	n     int
	files []string
}

func newDumps(dir string) (*dumps, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("debug.dump_dir: %w", patherror.Plain(err))
	}
	return &dumps{dir: dir}, nil
}

// preparationDump is the file of one summary.
type preparationDump struct {
	Outcome   string                   `json:"outcome"`
	Error     string                   `json:"error,omitempty"`
	Form      string                   `json:"form,omitempty"`
	Seconds   float64                  `json:"seconds"`
	Messages  int                      `json:"messages"` // number in the conversation
	Folded    int                      `json:"folded"`
	Written   []probe.Statement        `json:"written"`
	Dropped   []probe.Drop             `json:"dropped,omitempty"`
	Used      []summary.Statement      `json:"used,omitempty"`
	Record    string                   `json:"record,omitempty"` // made by rules
	Probe     *compaction.ModelProbe   `json:"probe,omitempty"`
	Questions *probe.Report            `json:"questions,omitempty"`
	Refused   []probe.RejectedQuestion `json:"questions_refused,omitempty"`
	Unasked   string                   `json:"unasked,omitempty"`
}

func (d *dumps) preparation(p prepare.Report) error {
	if d == nil {
		return nil
	}
	out := preparationDump{
		Outcome: p.Outcome, Form: p.Form, Seconds: p.Duration.Seconds(),
		Messages: p.WhenSent, Folded: p.Folded, Written: p.Written,
		Dropped: p.Dropped, Used: p.Kept, Record: p.Record, Probe: p.Probe, Questions: p.Questions,
		Refused: p.Refused,
	}
	if p.Err != nil {
		out.Error = causeOf(p.Err)
	}
	if p.Unasked != nil {
		out.Unasked = causeOf(p.Unasked)
	}
	return d.write("summary", out)
}

func (d *dumps) step(s model.Step) error {
	if d == nil {
		return nil
	}
	return d.write("request", s)
}

// write writes v as JSON, without credentials.
func (d *dumps) write(kind string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if data, err = redactedJSON(data); err != nil {
		return err
	}
	return d.save(kind, file{".json", data})
}

// logFailure logs why a dump was not written, unless the one before was not written either: a full
// disk would be logged several times for each request.
func (d *dumps) logFailure(log *slog.Logger, err error) {
	if d == nil {
		return
	}
	if failed := err != nil; d.failing.Swap(failed) == failed || !failed {
		return
	}
	log.LogAttrs(context.Background(), slog.LevelWarn,
		"writing a dump failed; logged again once one was written",
		slog.String("cause", patherror.Plain(err).Error()))
}

// file is one of the files of a dump.
type file struct {
	extension string
	data      []byte
}

// save writes the files of one dump under the same name, and removes the oldest files past
// maxDumps.
func (d *dumps) save(kind string, files ...file) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	name := filepath.Join(d.dir, fmt.Sprintf("%s-%06d-%s",
		time.Now().UTC().Format("20060102T150405.000"), d.n, kind))
	var failed error
	for _, f := range files {
		if d.files = append(d.files, name+f.extension); len(d.files) > maxDumps {
			_ = os.Remove(d.files[0])
			d.files = d.files[1:]
		}
		failed = errors.Join(failed, os.WriteFile(name+f.extension, f.data, 0o600))
	}
	return failed
}

// redactedJSON returns a JSON text, indented and without credentials.
func redactedJSON(data []byte) ([]byte, error) {
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(withoutCredentials(tree), "", "  ")
	return append(data, '\n'), err
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

// causeOf describes an error without quoting an upstream's reply.
func causeOf(err error) string {
	if reason := model.Reason(err); reason != "other" {
		return reason
	}
	var in *url.Error // names the address, which may contain a key
	if errors.As(err, &in) {
		return "unavailable"
	}
	return redact.Text(strings.ToValidUTF8(err.Error(), "?"))
}
