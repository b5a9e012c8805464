package checkpoint

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"reflect"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/summary"
	"killick/summary/names"
	"killick/summary/quotes"
	"killick/summary/workset"
	"killick/transcript"
	"killick/view"
)

// conversation is what the checkpoints of these tests are for.
func conversation(t testing.TB) []view.Message {
	t.Helper()
	msgs := []string{chattest.Says(view.User, "Mend it."), chattest.Says(view.Assistant, "Yes.")}
	for range 3 {
		msgs = append(msgs, chattest.Exchange("read", `{"path":"a.go"}`, "package a")...)
	}
	return chattest.Request(t, chattest.Body(msgs)).Messages()
}

// full is a checkpoint with something in every field.
func full(t testing.TB) *Checkpoint {
	t.Helper()
	record := []byte(chattest.Says(view.User, "a record\xff with what a model wrote"))
	cp := &Checkpoint{
		Covers: 6, Fold: 2, At: 8, NextAt: 2000, Before: 3000, After: 1000, Made: 1_700_000_000,
		Masks: []Mask{
			{Index: 3, Text: "[masked\xff]", Tokens: 9, Saved: 40},
			{Index: 5, Text: "[masked too]", Tokens: 9, Saved: 1},
		},
		Records: []Record{{
			Kept: []Kept{{
				Index: 0, Raw: []byte(chattest.Says(view.User, "cut")), Tokens: 8, Client: true,
			}},
			Raw: record, Tokens: 30, Plain: []byte(chattest.Says(view.User, "a record")),
			ModelTokens: 12,
		}, {Raw: record, Tokens: 31}},
		Working: Working{Raw: []byte(chattest.Says(view.User, "lines of files")), Tokens: 7},
		Probe: &compaction.Probe{
			Held: 3, Of: 4, Repaired: 1,
			Model: &compaction.ModelProbe{
				Verdict: compaction.SoftFail, Score: 0.75, Verified: 5, Written: 7, Asked: 4,
				Carried: true,
			},
		},
		Dropped: []compaction.Dropped{{Kind: "messages", Count: 2, Tokens: 100}},
		Written: "structured",
		Provider: &ProviderSummary{
			Raw: []byte(chattest.Says(view.Assistant, "what the API wrote")), Tokens: 17,
			Origin: "one", Place: 8, Unsigned: 4,
		},
	}
	return cp.WithDetails(Details{
		Folds: []int{1, 2}, Summary: &summary.Summary{First: 1, Last: 2, Originals: "h"},
		Names: nameTable(t), Blocks: blocks(t),
	})
}

// names is a table of the names in the conversation.
func nameTable(t testing.TB) *names.Table {
	t.Helper()
	msgs := conversation(t)
	src := &quotes.Source{Transcript: transcript.ReadAll(msgs)}
	calls := src.CallsBefore(len(msgs))
	table := new(names.Reader).Read(src, nil, calls, 0, len(msgs), 1<<20)
	if len(table.Names) == 0 || len(table.Calls) == 0 {
		t.Fatalf("the table %+v holds too little", table)
	}
	return table
}

// blocks are those of the conversation.
func blocks(t testing.TB) *workset.Pool {
	t.Helper()
	msgs := conversation(t)
	src := &quotes.Source{Transcript: transcript.ReadAll(msgs)}
	pool := workset.Extend(src, nil, src.CallsBefore(len(msgs)), 0, len(msgs), 1<<20)
	if len(pool.Files) == 0 {
		t.Fatalf("the pool %+v holds too little", pool)
	}
	return pool
}

func encode(t testing.TB, cp *Checkpoint) []byte {
	t.Helper()
	value, err := cp.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestWhatIsStoredIsRead(t *testing.T) {
	masks := &Checkpoint{Covers: 6, Masks: full(t).Masks, Dropped: []compaction.Dropped{}}
	rules, whole := full(t), full(t)
	rules.Probe.Model, rules.Records[0].Kept[0].Raw = nil, nil
	whole.Fold, whole.Masks, whole.Provider.Place = 6, nil, 7
	whole.details.made.Folds = []int{6}
	for name, cp := range map[string]*Checkpoint{
		"all": full(t), "masks alone": masks, "nothing": {Covers: 6}, "without a model": rules,
		"all that it covers": whole, "all messages": {Covers: 8},
	} {
		value := encode(t, cp)
		back, err := Decode(value, cp.Covers, conversation(t))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := back.Details()
		want, _ := cp.Details()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: details %+v, %v, want %+v", name, got, err, want)
		}
		again := encode(t, back)
		if back.details = cp.details; !reflect.DeepEqual(back, cp) {
			t.Errorf("%s: read back as\n%+v, want\n%+v", name, back, cp)
		}
		if !slices.Equal(again, value) {
			t.Errorf("%s: stored again it is another one", name)
		}
	}
}

// What is decoded when it is asked for is nobody else's.
func TestDetailsAreNotShared(t *testing.T) {
	back, err := Decode(encode(t, full(t)), 6, conversation(t))
	if err != nil {
		t.Fatal(err)
	}
	first, err := back.Details()
	if err != nil {
		t.Fatal(err)
	}
	first.Folds[0], first.Summary.Last = 99, 99
	second, err := back.Details()
	if err != nil || second.Folds[0] != 1 || second.Summary.Last != 2 {
		t.Errorf("changed for others: %+v, %v", second, err)
	}
}

// Whatever is stored damaged, or of another version, is unreadable, and no error quotes it.
func TestDamagedCheckpointsAreUnreadable(t *testing.T) {
	msgs, value := conversation(t), encode(t, full(t))
	check := func(name string, damaged []byte) {
		t.Helper()
		_, err := Decode(damaged, 6, msgs)
		if !errors.Is(err, ErrUnreadable) || strings.Contains(err.Error(), "record\xff") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range value {
		damaged := slices.Clone(value)
		damaged[i] ^= 0x40
		check("a changed byte", damaged)
		check("cut", value[:i])
		if i != len(value)-checksumSize {
			check("cut, with a checksum", seal(value[:i]))
		}
	}
	other := slices.Clone(value[:len(value)-checksumSize])
	other[0]--
	check("of an earlier version, with a checksum", seal(other))
	check("longer", append(slices.Clone(value), 0))
	check("longer, with a checksum", seal(append(slices.Clone(value[:len(value)-checksumSize]), 0)))
	check("the JSON of version 2", []byte(`{"v":2,"covers":6,"masks":[{"i":3,"t":"x","s":1}]}`))
	next := encode(t, &Checkpoint{Covers: 5, Masks: full(t).Masks[1:]})
	if _, err := Decode(next, 5, msgs); !errors.Is(err, ErrUnreadable) {
		t.Errorf("with a mask of the next message: %v", err)
	}
	for _, value := range [][]byte{value, encode(t, &Checkpoint{Covers: 6}),
		encode(t, &Checkpoint{Covers: 6, Masks: full(t).Masks})} {
		if _, err := Decode(value, 5, msgs); !errors.Is(err, ErrUnreadable) {
			t.Errorf("of another prefix: %v", err)
		}
		if _, err := Decode(value, 6, msgs[:5]); !errors.Is(err, ErrUnreadable) {
			t.Errorf("of a shorter conversation: %v", err)
		}
	}
}

// The details are decoded when they are asked for. Those that are damaged are unreadable, except
// what only helps to make the next form.
func TestDamagedDetailsAreUnreadable(t *testing.T) {
	torn := []byte{0xff}
	for name, d := range map[string]details{"folds": {folds: torn}, "a summary": {summary: torn},
		"folds and more": {folds: []byte{2, 4, 0}}} {
		cp := full(t)
		d.made = cp.details.made
		cp.details = d
		_, err := cp.Details()
		_, folds := cp.Folds()
		_, summary := cp.Summary()
		if !errors.Is(err, ErrUnreadable) || (folds != nil) != (d.folds != nil) ||
			(summary != nil) != (d.summary != nil) {
			t.Errorf("%s: %v, folds %v, summary %v", name, err, folds, summary)
		}
	}
	cp := full(t)
	cp.details.names, cp.details.blocks = torn, torn
	if d, err := cp.Details(); err != nil || len(d.Names.Names) > 0 || len(d.Blocks.Blocks) > 0 {
		t.Errorf("names and blocks: %+v, %v", d, err)
	}
}

// The form without the text of a model is made of the same checkpoint, which stays as it is.
func TestPlainForms(t *testing.T) {
	cp := full(t)
	plain := cp.Plain()
	if ModelTokens(cp.Records) != 12 || ModelTokens(plain.Records) != 0 ||
		Text(plain.Records) != "a record\na record\ufffd with what a model wrote\n" ||
		Tokens(plain.Records) != Tokens(cp.Records) {
		t.Errorf("%q with %d tokens of a model, of %d", Text(plain.Records),
			ModelTokens(plain.Records), ModelTokens(cp.Records))
	}
	if !reflect.DeepEqual(cp, full(t)) {
		t.Error("the checkpoint has changed")
	}
	kept := ListKept(append(cp.Kept(), Kept{Index: 4}))
	want := []summary.Kept{{At: 1, Class: summary.KeptClient, Cut: true},
		{At: 5, Class: summary.KeptPerson}}
	if !reflect.DeepEqual(kept, want) {
		t.Errorf("kept %+v, want %+v", kept, want)
	}
	if base := BaseOf(cp); base != (Base{Covers: 6, Fold: 2, At: 8, After: 1000}) ||
		BaseOf(nil) != (Base{}) {
		t.Errorf("base %+v, of no form %+v", base, BaseOf(nil))
	}
}

// What is left out is counted by its kind, in a list of its own.
func TestWhatIsLeftOutIsCounted(t *testing.T) {
	earlier := []compaction.Dropped{{Kind: "messages", Count: 2, Tokens: 100}}
	msgs := chattest.Messages(t, `{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}],`+
		`"content":[{"type":"text","text":"a"},{"type":"input_image"},{"type":"input_audio"},`+
		`{"type":"file"},{"type":"x"},{"type":"image_url"}]}`)
	got := AddFolded(earlier, &msgs[0], 7)
	want := []compaction.Dropped{{Kind: "messages", Count: 3, Tokens: 107},
		{Kind: "tool_calls", Count: 2}, {Kind: "images", Count: 2}, {Kind: "audio", Count: 1},
		{Kind: "files", Count: 1}, {Kind: "parts", Count: 1}}
	if !slices.Equal(got, want) || earlier[0].Count != 2 {
		t.Errorf("%+v, want %+v; the list before is %+v", got, want, earlier)
	}
	if got := AddFolded(nil, &conversation(t)[0], 7); len(got) != 1 {
		t.Errorf("of a message of one text: %+v", got)
	}
	v := &layout.View{Truncated: map[int]layout.Truncation{1: {Original: 90, Tokens: 10},
		2: {Original: 50, Tokens: 20}, 3: {Original: 40, Tokens: 1}}}
	for _, c := range []struct {
		cp   *Checkpoint
		want compaction.Dropped
	}{
		{nil, compaction.Dropped{Kind: "truncated_outputs", Count: 3, Tokens: 149}},
		{&Checkpoint{Fold: 2}, compaction.Dropped{Kind: "truncated_outputs", Count: 2, Tokens: 69}},
	} {
		if got := TruncatedBeyond(v, c.cp); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// What does not fit the conversation is unreadable though it was stored so.
func TestCheckpointsFitTheirConversation(t *testing.T) {
	for name, change := range map[string]func(c *Checkpoint){
		"folds more than it covers": func(c *Checkpoint) {
			c.Fold, c.Masks, c.Provider = 7, nil, nil
		},
		"folds less than nothing": func(c *Checkpoint) {
			*c = Checkpoint{Covers: 6, Fold: -1}
		},
		"a working set for nothing": func(c *Checkpoint) {
			*c = Checkpoint{Covers: 6, Working: c.Working}
		},
		"a mask of a result beyond": func(c *Checkpoint) { c.Masks[1].Index = 7 },
		"a record without its end": func(c *Checkpoint) {
			c.Records[1].Raw = c.Records[1].Raw[:len(c.Records[1].Raw)-1]
		},
		"a record and more": func(c *Checkpoint) {
			c.Records[1].Raw = append(slices.Clone(c.Records[1].Raw), " 1"...)
		},
		"a kept one and more": func(c *Checkpoint) {
			c.Records[0].Kept[0].Raw = append(c.Records[0].Kept[0].Raw, "{}"...)
		},
		"a kept one, cut to another's": func(c *Checkpoint) {
			c.Records[0].Kept[0].Raw = []byte(chattest.Says(view.Assistant, "cut"))
		},
		"a record for nothing":        func(c *Checkpoint) { c.Fold = 0 },
		"no record":                   func(c *Checkpoint) { c.Records = nil },
		"no summary":                  func(c *Checkpoint) { c.details = details{} },
		"a torn record":               func(c *Checkpoint) { c.Records[0].Raw = []byte(`{`) },
		"a torn plain one":            func(c *Checkpoint) { c.Records[0].Plain = []byte(`{`) },
		"a record of the assistant":   func(c *Checkpoint) { c.Records[0].Raw[9] = 'v' },
		"a record without a count":    func(c *Checkpoint) { c.Records[1].Tokens = 0 },
		"a count below nothing":       func(c *Checkpoint) { c.Records[1].ModelTokens = -1 },
		"a kept one that is none":     func(c *Checkpoint) { c.Records[0].Kept[0].Index = 2 },
		"a kept one of the assistant": func(c *Checkpoint) { c.Records[0].Kept[0].Index = 1 },
		"a kept one without a count":  func(c *Checkpoint) { c.Records[0].Kept[0].Tokens = 0 },
		"a kept one that is torn":     func(c *Checkpoint) { c.Records[0].Kept[0].Raw = []byte{} },
		"kept twice": func(c *Checkpoint) {
			c.Records[1].Kept = c.Records[0].Kept
		},
		"a torn working set":        func(c *Checkpoint) { c.Working.Raw = []byte(`{`) },
		"one without a count":       func(c *Checkpoint) { c.Working.Tokens = 0 },
		"a count of none":           func(c *Checkpoint) { c.Working.Raw = nil },
		"a folded mask":             func(c *Checkpoint) { c.Masks[0].Index = 1 },
		"a mask beyond":             func(c *Checkpoint) { c.Masks[1].Index = 6 },
		"a mask of no output":       func(c *Checkpoint) { c.Masks[0].Index = 2 },
		"masks out of order":        func(c *Checkpoint) { c.Masks[1].Index = 3 },
		"a mask without a text":     func(c *Checkpoint) { c.Masks[0].Text = "" },
		"a mask that saves nothing": func(c *Checkpoint) { c.Masks[0].Saved = 0 },
	} {
		cp := full(t)
		change(cp)
		if _, err := Decode(encode(t, cp), 6, conversation(t)); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, d := range map[string]Details{
		"folds that do not rise": {Folds: []int{2, 2}, Summary: &summary.Summary{}},
		"folds of nothing":       {Folds: []int{0, 2}, Summary: &summary.Summary{}},
		"folds to elsewhere":     {Folds: []int{1}, Summary: &summary.Summary{}},
	} {
		cp, err := Decode(encode(t, full(t).WithDetails(d)), 6, conversation(t))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cp.Folds(); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// seal returns what is stored with the checksum that it must have.
func seal(value []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clone(value), crc32.Checksum(value, castagnoli))
}

// FuzzDecode: whatever is stored, with whatever checksum, is unreadable or a checkpoint
// that can be rendered and stored again.
func FuzzDecode(f *testing.F) {
	value := encode(f, full(f))
	f.Add(value[:len(value)-checksumSize])
	f.Add(encode(f, &Checkpoint{Covers: 6, Masks: full(f).Masks}))
	f.Add([]byte{Version})
	f.Add([]byte{Version, 12, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f})
	f.Add([]byte(`{"v":2,"covers":6}`))
	msgs := conversation(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for covers := range len(msgs) + 2 {
			cp, err := Decode(seal(data), covers, msgs)
			if err != nil {
				if cp != nil || !errors.Is(err, ErrUnreadable) {
					t.Fatalf("covers %d: %v", covers, err)
				}
				continue
			}
			if _, err := cp.Details(); err != nil && !errors.Is(err, ErrUnreadable) {
				t.Errorf("covers %d: %v", covers, err)
			}
			for _, m := range cp.Plain().Records {
				if _, err := chat.ParseMessage(m.Raw); err != nil {
					t.Errorf("covers %d: a record that cannot be sent: %v", covers, err)
				}
			}
			back, err := Decode(encode(t, cp), covers, msgs)
			if err != nil || !reflect.DeepEqual(back, cp) {
				t.Errorf("covers %d: stored again it is another one: %v", covers, err)
			}
		}
	})
}
