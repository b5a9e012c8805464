package checkpoint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"killick/compaction"
	"killick/internal/chattest"
	"killick/reference"
	"killick/summary"
	"killick/summary/names"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/view"
)

// version2 is a checkpoint as it was stored before version 3: all of it as JSON.
type version2 struct {
	Version int                  `json:"v"`
	Covers  int                  `json:"covers"`
	Fold    int                  `json:"fold"`
	At      int                  `json:"at"`
	NextAt  int                  `json:"next_at"`
	Before  int                  `json:"before"`
	After   int                  `json:"after"`
	Made    int64                `json:"made,omitempty"`
	Masks   []mask2              `json:"masks,omitempty"`
	Folds   []int                `json:"folds,omitempty"`
	Records []record2            `json:"records,omitempty"`
	Names   json.RawMessage      `json:"names,omitempty"`
	Summary *summary.Summary     `json:"summary,omitempty"`
	Probe   *compaction.Probe    `json:"probe,omitempty"`
	Dropped []compaction.Dropped `json:"dropped,omitempty"`
	Written string               `json:"written,omitempty"`
}

type mask2 struct {
	Index  int    `json:"i"`
	Text   string `json:"t"`
	Tokens int    `json:"n"`
	Saved  int    `json:"s"`
}

type record2 struct {
	Kept        []kept2 `json:"kept,omitempty"`
	Raw         []byte  `json:"raw"`
	Tokens      int     `json:"tokens"`
	Plain       []byte  `json:"plain,omitempty"`
	ModelTokens int     `json:"account,omitempty"`
}

type kept2 struct {
	Index  int    `json:"i"`
	Raw    []byte `json:"raw,omitempty"`
	Tokens int    `json:"n"`
	Client bool   `json:"client,omitempty"`
}

type names2 struct {
	Calls []call2 `json:"calls"`
	Names []name2 `json:"names"`
}

type call2 struct {
	At   int    `json:"at"`
	Text string `json:"text"`
	Path string `json:"path,omitempty"`
}

type name2 struct {
	Word      string         `json:"w"`
	Kind      reference.Kind `json:"k"`
	Call      int32          `json:"c"`
	Mentioned int32          `json:"m,omitempty"`
	Asked     int32          `json:"a,omitempty"`
	Worked    int32          `json:"p,omitempty"`
	Shown     int32          `json:"s,omitempty"`
	Seen      int32          `json:"l"`
	Used      int32          `json:"u"`
	Key       int32          `json:"y,omitempty"`
}

// asVersion2 is cp as version 2 stored it.
func asVersion2(b *testing.B, cp *Checkpoint) []byte {
	d, err := cp.Details()
	if err != nil {
		b.Fatal(err)
	}
	old := version2{
		Version: 2, Covers: cp.Covers, Fold: cp.Fold, At: cp.At, NextAt: cp.NextAt,
		Before: cp.Before, After: cp.After, Made: cp.Made, Folds: d.Folds, Summary: d.Summary,
		Probe: cp.Probe, Dropped: cp.Dropped, Written: cp.Written,
	}
	for _, m := range cp.Masks {
		old.Masks = append(old.Masks, mask2(m))
	}
	for _, r := range cp.Records {
		record := record2{
			Raw: r.Raw, Tokens: r.Tokens, Plain: r.Plain, ModelTokens: r.ModelTokens,
		}
		for _, k := range r.Kept {
			record.Kept = append(record.Kept, kept2(k))
		}
		old.Records = append(old.Records, record)
	}
	if d.Names != nil {
		var names names2
		for _, c := range d.Names.Calls {
			names.Calls = append(names.Calls, call2(c))
		}
		for _, n := range d.Names.Names {
			names.Names = append(names.Names, name2(n))
		}
		if old.Names, err = json.Marshal(names); err != nil {
			b.Fatal(err)
		}
	}
	value, err := json.Marshal(old)
	if err != nil {
		b.Fatal(err)
	}
	return value
}

// decodeVersion2 reads and checks as much as version 2 did.
func decodeVersion2(value []byte, covers int, msgs []view.Message) (*Checkpoint, error) {
	var old version2
	if err := json.Unmarshal(value, &old); err != nil {
		return nil, err
	}
	cp := &Checkpoint{Covers: old.Covers, Fold: old.Fold}
	cp.details.summary = []byte{} // it is there
	for _, m := range old.Masks {
		cp.Masks = append(cp.Masks, Mask(m))
	}
	for _, r := range old.Records {
		record := Record{
			Raw: r.Raw, Tokens: r.Tokens, Plain: r.Plain, ModelTokens: r.ModelTokens,
		}
		for _, k := range r.Kept {
			record.Kept = append(record.Kept, Kept(k))
		}
		cp.Records = append(cp.Records, record)
	}
	return cp, cp.check(covers, msgs)
}

// generated is a checkpoint of a random conversation.
func generated(b *testing.B) *Checkpoint {
	msgs := chattest.Request(b, chattest.Body(chattest.Session(9, 400))).Messages()
	src := &quotes.Source{
		Transcript: transcript.ReadAll(msgs), Place: func(i int) int { return 500 * i },
	}
	calls := src.CallsBefore(len(msgs))
	sum := summary.Read(src, calls, 0, len(msgs), &summary.Summary{})
	text := sum.Render(summary.Room{Summary: 12_000, All: 16_000})
	cp := &Checkpoint{
		Covers: len(msgs), Fold: len(msgs),
		Records: []Record{{Raw: []byte(chattest.Says(view.User, text)), Tokens: len(text) / 4}},
	}
	return cp.WithDetails(Details{
		Folds: []int{len(msgs)}, Summary: &sum,
		Names: new(names.Reader).Read(src, nil, calls, 0, len(msgs), 1<<20),
	})
}

// standIns are messages of the roles that cp asks for.
func standIns(b *testing.B, cp *Checkpoint) []view.Message {
	roles := make([]view.Role, cp.Covers)
	for _, k := range cp.Kept() {
		roles[k.Index] = view.User
	}
	for i := range cp.Masks {
		roles[cp.Masks[i].Index] = view.Tool
	}
	msgs := make([]view.Message, len(roles))
	for i, role := range roles {
		if role == "" {
			role = view.Assistant
		}
		msgs[i] = *chattest.Message(b, chattest.Says(role, "x"))
	}
	return msgs
}

// stored are checkpoints as they are stored: those of the folder that the environment
// names, else a generated one.
func stored(b *testing.B) (values [][]byte) {
	folder := os.Getenv("KILLICK_CHECKPOINTS")
	if folder == "" {
		return [][]byte{encode(b, generated(b))}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		b.Fatalf("%d files in %s, %v", len(files), folder, err)
	}
	for _, file := range files {
		value, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		values = append(values, value)
	}
	return values
}

// What it takes to read a checkpoint that no memory holds: as every turn needs it, with
// all that the next fold needs, and as version 2 was read. KILLICK_CHECKPOINTS names a
// folder of stored ones, one a file.
func BenchmarkDecode(b *testing.B) {
	type one struct {
		value, old []byte
		msgs       []view.Message
	}
	var all []one
	size, oldSize := 0, 0
	for _, value := range stored(b) {
		cp := &Checkpoint{}
		if err := cp.read(value); err != nil {
			b.Fatal(err)
		}
		o := one{value, asVersion2(b, cp), standIns(b, cp)}
		all = append(all, o)
		size, oldSize = size+len(o.value), oldSize+len(o.old)
	}
	run := func(name string, bytes int, read func(o *one) error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if err := read(&all[i%len(all)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
			b.ReportMetric(float64(bytes)/float64(len(all)), "stored-bytes")
		})
	}
	run("a turn", size, func(o *one) error {
		_, err := Decode(o.value, len(o.msgs), o.msgs)
		return err
	})
	run("a fold", size, func(o *one) error {
		cp, err := Decode(o.value, len(o.msgs), o.msgs)
		if err == nil {
			_, err = cp.Details()
		}
		return err
	})
	run("version 2", oldSize, func(o *one) error {
		_, err := decodeVersion2(o.old, len(o.msgs), o.msgs)
		return err
	})
}
