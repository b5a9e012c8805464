package replayreport

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"killick/internal/patherror"
	"killick/replay"
)

// dump writes what would be forwarded: a folder for each conversation with a file for each request,
// named by the index of the message that answered it, and plans.txt with the decisions. The files
// contain the conversations, so only their owner may read them.
type dump struct {
	dir string

	mu    sync.Mutex
	names map[*replay.Transcript]string
	taken map[string]bool
}

func newDump(dir string) (*dump, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the dump: %w", patherror.Plain(err))
	}
	return &dump{dir: dir, names: map[*replay.Transcript]string{}, taken: map[string]bool{}}, nil
}

// write writes one request of the first strategy. Other strategies are not written: they are other
// profiles or baselines.
func (d *dump) write(t *replay.Transcript, strategy, at int, f replay.Forwarded) error {
	if strategy != 0 {
		return nil
	}
	name, first := d.nameOf(t)
	dir := filepath.Join(d.dir, name)
	if first {
		if err := begin(dir); err != nil {
			return err
		}
	}
	file := filepath.Join(dir, fmt.Sprintf("%05d.json", at))
	if err := os.WriteFile(file, f.Body, 0o600); err != nil {
		return fmt.Errorf("writing a forwarded request: %w", patherror.Plain(err))
	}
	return d.plans(dir, at, f.Plans)
}

// plansFile has the decisions of a conversation.
const plansFile = "plans.txt"

// begin makes the folder of a conversation, and removes the decisions of an earlier dump from it.
func begin(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the folder of a conversation: %w", patherror.Plain(err))
	}
	err := os.Remove(filepath.Join(dir, plansFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the decisions of an earlier dump: %w", patherror.Plain(err))
	}
	return nil
}

// plans appends the decisions that were made for a request to those of its conversation.
func (d *dump) plans(dir string, at int, plans []string) error {
	if len(plans) == 0 {
		return nil
	}
	const appending = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	file, err := os.OpenFile(filepath.Join(dir, plansFile), appending, 0o600)
	if err != nil {
		return fmt.Errorf("writing the decisions: %w", patherror.Plain(err))
	}
	for _, plan := range plans {
		fmt.Fprintf(file, "%05d: %s\n", at, plan)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("writing the decisions: %w", patherror.Plain(err))
	}
	return nil
}

// nameOf returns the name of a conversation's folder, and whether it was asked for the first time.
// The name is the id with other characters replaced, and a number if another conversation has the
// same name.
func (d *dump) nameOf(t *replay.Transcript) (name string, first bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name, ok := d.names[t]; ok {
		return name, false
	}
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' ||
			r == '_' || r == '.' {
			return r
		}
		return '_'
	}, t.ID)
	plain = strings.TrimLeft(plain[:min(len(plain), 100)], ".")
	plain = cmp.Or(plain, "conversation")
	name = plain
	for n := 2; d.taken[name]; n++ {
		name = fmt.Sprintf("%s-%d", plain, n)
	}
	d.taken[name], d.names[t] = true, name
	return name, true
}
