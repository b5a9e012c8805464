package compactor

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"killick/compaction"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/rawjson"
	"killick/summary"
)

// wrote is an agent's session: a task, files that are written, a request for more.
func wrote(calls int) []string {
	msgs := []string{
		`{"role":"system","content":"Be brief."}`,
		`{"role":"user","content":"Port the parser of invoices to Go."}`,
	}
	for i := range calls {
		id := fmt.Sprint("c", i)
		msgs = append(msgs,
			chattest.Call(id, "write", fmt.Sprintf(`{"path":"invoice/part%d.go"}`, i)),
			chattest.Result(id, strings.Repeat("package invoice // ported\n", 20)))
	}
	return append(msgs,
		`{"role":"assistant","content":"All parts are ported; the rounding of VAT is open."}`,
		`{"role":"user","content":"Then do the rounding of VAT next, half to even as by law."}`)
}

var refs = regexp.MustCompile(`ref=([0-9a-f]{10})`)

func TestRecordIsOfTheWholeConversation(t *testing.T) {
	store := newMemStore()
	req := parse(t, body(wrote(4)))
	e := New(Options{Policy: settings.Policy{Trigger: 40_000, Target: 20_000, MinMaskTokens: 60},
		Counter: byBytes, Store: store})
	got, err := e.Record(t.Context(), req, "ann")
	if err != nil || len(got.FailOpens) > 0 {
		t.Fatal(err, got.FailOpens)
	}
	if !strings.HasPrefix(got.Text, summary.Mark) || got.Input != recount(req) ||
		got.Size != (byteCounter{}).Text(got.Text) {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{"part0.go", "part3.go", "the rounding of VAT is open",
		"2 messages of the user among them stand above", "latest request: message 11"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%q is missing in\n%s", want, got.Text)
		}
	}
	for _, repeated := range []string{"Port the parser", "half to even", "Be brief"} {
		if strings.Contains(got.Text, repeated) {
			t.Errorf("%q is in\n%s", repeated, got.Text)
		}
	}
	if len(store.values) > 0 {
		t.Errorf("%d forms were stored", len(store.values))
	}
	named := refs.FindAllStringSubmatch(got.Text, -1)
	if len(named) == 0 {
		t.Errorf("no original is named in\n%s", got.Text)
	}
	for _, ref := range named {
		if _, ok := store.originals[ref[1]]; !ok {
			t.Errorf("nothing is kept under %s", ref[1])
		}
	}
}

func TestRecordOfARecordHasBoth(t *testing.T) {
	e := newEngine(newMemStore())
	first, err := e.Record(t.Context(), parse(t, body(wrote(2))), "ann")
	if err != nil {
		t.Fatal(err)
	}
	asUser := `{"role":"user","content":` + string(rawjson.AppendQuoted(nil, first.Text)) + `}`
	msgs := []string{`{"role":"user","content":"Port the parser of invoices to Go."}`, asUser}
	again, err := e.Record(t.Context(), parse(t, body(msgs)), "ann")
	if err != nil || !strings.HasPrefix(again.Text, first.Text+"\n"+summary.Mark) {
		t.Errorf("%v, got\n%s", err, again.Text)
	}
	for range 8 { // no more of them than there is room for
		msgs = append(msgs, asUser)
	}
	again, err = e.Record(t.Context(), parse(t, body(msgs)), "ann")
	budget := small.WithDefaults().Budget(settings.Window{Tokens: 1 << 20}, 1, plan.Prices{})
	if most := budget.Target/4 + 2*first.Size; err != nil ||
		again.Size > most {
		t.Errorf("%v, %d tokens, want at most %d", err, again.Size, most)
	}
}

func TestNothingToRecord(t *testing.T) {
	for _, msgs := range [][]string{
		{`{"role":"system","content":"x"}`},
		{`{"role":"system","content":"x"}`, `{"role":"user","content":"One word, please."}`},
	} {
		got, err := newEngine(newMemStore()).Record(t.Context(), parse(t, body(msgs)), "ann")
		if !errors.Is(err, compaction.ErrNothing) || got.Text != "" {
			t.Errorf("%v: %+v", err, got)
		}
	}
}

// What a client sends of earlier turns as a record is all that there is of them.
func TestRecordsOfTheClientAreNotFolded(t *testing.T) {
	e := newEngine(newMemStore())
	first, err := e.Record(t.Context(), parse(t, body(wrote(2))), "ann")
	if err != nil {
		t.Fatal(err)
	}
	record := string(rawjson.AppendQuoted(nil, first.Text))
	msgs := append([]string{
		`{"role":"user","content":"Port the parser of invoices to Go."}`,
		`{"role":"user","content":` + record + `}`,
	}, wrote(30)[1:]...)
	in := body(msgs)
	out := e.Compact(t.Context(), parse(t, in), "ann")
	checkForm(t, in, out.Body)
	if !out.Folded || strings.Count(string(out.Body), record) != 1 {
		t.Errorf("folded %t, got\n%s", out.Folded, out.Body)
	}
}
