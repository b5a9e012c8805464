package compactor

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/report"
	"killick/compactor/settings"
	"killick/summary"
)

// folding returns an engine that folds and masks nothing, with its store.
func folding(now time.Time, formed func(*report.Report)) (*Engine, *memStore) {
	store := newMemStore()
	return New(Options{
		Policy: settings.Policy{
			Trigger:       8000,
			Target:        4000,
			MinMaskTokens: 1 << 20,
			IndexTokens:   200,
			CheckCoverage: true,
		},
		Counter: byBytes, Store: store, Now: func() time.Time { return now }, Formed: formed,
	}), store
}

// Each form with a record has a report under the ref of the result, which stays the
// same while the form does and says what the form is.
func TestReportsOfForms(t *testing.T) {
	msgs := session(3, 60)
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	var formed []*report.Report
	e, store := folding(now, func(r *report.Report) { formed = append(formed, r) })
	last, refs := "", map[string]bool{}
	turns(t, msgs, func(n int) {
		res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		holds := bytes.Contains(res.Body, []byte(summary.Mark))
		if holds != res.Folded || holds != (res.SummaryRef != "") {
			t.Fatalf(
				"turn %d: a record: %t, folded: %t, ref %q",
				n,
				holds,
				res.Folded,
				res.SummaryRef,
			)
		}
		if !holds {
			return
		}
		if res.Reused && res.SummaryRef != last {
			t.Errorf("turn %d: the form is the one before, its ref is not", n)
		}
		last = res.SummaryRef
		r := storedReport(t, store, res.SummaryRef)
		refs[res.SummaryRef] = true
		checkReport(t, r, &res, now)
	})
	if len(refs) < 2 || len(formed) != len(refs) {
		t.Errorf(
			"%d refs of %d forms with a record, want several, and one of each",
			len(refs),
			len(formed),
		)
	}
	if most := formed[len(formed)-1].Compressions; most < 2 {
		t.Errorf("the last of %d forms reports %d compressions", len(formed), most)
	}
}

// storedReport is the report that a ref leads to.
func storedReport(t *testing.T, store *memStore, ref string) *report.Report {
	t.Helper()
	name, ok := report.PointsTo(store.originals[ref])
	if !ok {
		t.Fatalf("nothing is kept for the report %q", ref)
	}
	cp, err := checkpoint.Read(store.values[name])
	if err != nil {
		t.Fatalf("the form of the report %q: %v", ref, err)
	}
	r, err := report.Of(cp)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func checkReport(t *testing.T, r *report.Report, res *compaction.Outcome, now time.Time) {
	t.Helper()
	if !r.LastCompressed.Equal(now) || r.Compressions < 1 || r.Messages.First != 1 ||
		r.Messages.Last <= 1 {
		t.Errorf(
			"messages %+v, %d compressions, the last at %v",
			r.Messages,
			r.Compressions,
			r.LastCompressed,
		)
	}
	if r.Tokens.Before <= r.Tokens.After || r.Tokens.After <= r.Tokens.Records ||
		r.Tokens.Records <= 0 {
		t.Errorf("tokens %+v", r.Tokens)
	}
	for _, text := range strings.SplitAfter(r.Record, "\n") {
		quoted, _ := json.Marshal(strings.TrimSuffix(text, "\n"))
		if !bytes.Contains(res.Body, quoted[1:len(quoted)-1]) &&
			!strings.ContainsAny(text, "<>&\u2028") {
			t.Fatalf("a line of the report that the model is not shown: %q", text)
		}
	}
	shown := 0
	for _, c := range r.Sections {
		shown += c.Shown
		if c.Shown > c.Items || c.Complete != (c.Shown == c.Items) {
			t.Errorf("%+v", c)
		}
	}
	if shown == 0 || len(r.Dropped) == 0 || r.Summary == nil || r.Summary.Last != r.Messages.Last {
		t.Errorf("%d items shown, dropped %+v, summary %+v", shown, r.Dropped, r.Summary)
	}
	if r.Probe == nil || r.Probe.Coverage.Of < r.Probe.Coverage.Held || r.Probe.Model != nil {
		t.Errorf("probe %+v", r.Probe)
	}
	page := string(r.Markdown())
	for _, want := range []string{"# Summary of messages 1 " +
		"to ", "2026-05-04T03:02:01Z", "| Files | ", "| messages | ", strings.TrimSpace(r.Record)} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %.80q:\n%.2000s", want, page)
		}
	}
}

// When a form was made changes neither what is forwarded nor its ref.
func TestReportsDecideNothing(t *testing.T) {
	msgs := session(5, 50)
	here, _ := folding(time.Unix(1, 0), nil)
	there, _ := folding(time.Unix(1<<33, 0), nil)
	turns(t, msgs, func(n int) {
		a := here.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		b := there.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		if !bytes.Equal(a.Body, b.Body) || a.SummaryRef != b.SummaryRef {
			t.Errorf(
				"turn %d: another clock gives other bytes or another ref: %q, %q",
				n,
				a.SummaryRef,
				b.SummaryRef,
			)
		}
	})
}

// A report is stored again when its form is kept longer, and a store that refuses
// costs it alone.
func TestReportsAreKeptWithTheirForm(t *testing.T) {
	msgs := session(3, 60)
	e, store := folding(time.Unix(1, 0), nil)
	request := func() compaction.Outcome {
		return e.Compact(context.Background(), parse(t, body(msgs)), "ann")
	}
	first := request()
	want := store.originals[first.SummaryRef]
	delete(store.originals, first.SummaryRef)
	store.renewing = true
	if again := request(); again.SummaryRef != first.SummaryRef || len(again.Made) > 0 ||
		!bytes.Equal(store.originals[first.SummaryRef], want) {
		t.Errorf(
			"renewed: ref %q, made %v, report %.60q, want %q, %.60q",
			again.SummaryRef,
			again.Made,
			store.originals[again.SummaryRef],
			first.SummaryRef,
			want,
		)
	}
}
