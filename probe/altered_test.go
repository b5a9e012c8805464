package probe

import "testing"

// A number beside a word that the quote has beside another number is altered, however small it is,
// unless a message near has it so.
func TestOtherCounts(t *testing.T) {
	x := NewIndex(parse(t,
		"user: The patient takes 25 mg of ramipril. Clause 14 is a break option.",
		"assistant: TestDrain lost 3 of 100 items. Clause 31 excludes side letters, see line 293. "+
			"The default buffer is still 64. Mix 600 g of flour, 2 eggs and 1 kg of carrots.",
		"assistant: 返金期限の30日を過ぎています。3月18日に配達されました。"), 1)
	for _, test := range []struct {
		at          int
		quote, text string
		want        Reason
	}{
		{2, "TestDrain lost 3 of 100 items", "TestDrain lost 7 of 100 items.", ValueMissing},
		{2, "TestDrain lost 3 of 100 items", "TestDrain lost three of 100 items.", ""},
		{2, "TestDrain lost 3 of 100 items", "Of 100 items, TestDrain lost 3.", ""},
		{2, "Clause 31 excludes side letters", "Clause 13 excludes side letters.", ValueMissing},
		{2, "Clause 31 excludes side letters",
			"Clause 31 excludes side letters, clause 14 not.", ""},
		{2, "The default buffer is still 64", "The default buffer is still 32.", ValueMissing},
		{2, "see line 293",
			"Clause 31 excludes side letters, see line 296.", ValueMissing},
		{2, "Mix 600 g of flour, 2 eggs and 1 kg of carrots",
			"Mix 600 g of flour, 2 eggs and 3 kg of carrots.", ValueMissing},
		{2, "Mix 600 g of flour, 2 eggs and 1 kg of carrots",
			"Mix 600 g of flour, 2 eggs and 2 kg of carrots.", ValueMissing},
		{2, "Mix 600 g of flour, 2 eggs and 1 kg of carrots",
			"Mix 1 kg of carrots, 2 eggs and 600 g of flour.", ""},
		{1, "The patient takes 25 mg", "The patient takes 25 mg of ramipril.", ""},
		{1, "The patient takes 25 mg", "The patient takes 25 g of ramipril.", ValueMissing},
		{3, "返金期限の30日を過ぎています", "返金期限の90日を過ぎています。", ValueMissing},
		{3, "3月18日に配達されました", "3月19日に配達されました。", ValueMissing},
		{3, "3月18日に配達されました", "3月18日に配達。", ""},
	} {
		got, _ := grounded(x, Statement{Text: test.text, Quote: test.quote,
			Messages: []int{test.at}})
		if got != test.want {
			t.Errorf("%q beside %q: %q, want %q", test.text, test.quote, got, test.want)
		}
	}
}

// Times, numbers of lines, ranges and short order numbers are values: they are not altered.
func TestCompositeValues(t *testing.T) {
	x := NewIndex(parse(t, "user: When was order A-20391 delivered?",
		`call track {"order":"A-20391"}`,
		`tool: {"scan":"2024-05-02T09:45:10Z","took":"30-60 seconds","at":"drain_test.go:88"}`), 1)
	for text, want := range map[string]Reason{
		"Order A-20391 was scanned on 2024-05-02 at 09:45.":     "",
		"Order A-20391 was scanned on 2024-05-02 at 9:45:10.":   "",
		"Order A-20391 was scanned on 2024-05-02 at 09:15.":     ValueMissing,
		"Order A-20391 was scanned on 2024-05-03.":              ValueMissing,
		"Order A-20931 was scanned.":                            ValueMissing,
		"The scan of the order took 30-60 seconds.":             "",
		"The scan of the order took 60 seconds.":                "",
		"The scan of the order took 30-60 minutes.":             ValueMissing,
		"The scan of the order is at drain_test.go:88.":         "",
		"The scan of the order is at drain_test.go:38.":         ValueMissing,
		"The scan of the order is at drain_test.go, not lib.go": ValueMissing,
	} {
		got, _ := grounded(x, Statement{Text: text, Quote: `"2024-05-02T09:45:10Z"`,
			Messages: []int{3}})
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The number of an issue is often read in its address.
func TestNumbersOfAddresses(t *testing.T) {
	x := NewIndex(parse(t, "user: Review the code in https://github.com/a/b/pull/13 and compare "+
		"it with merge_requests/7 there.", "assistant: I compare both."), 1)
	for text, want := range map[string]Reason{
		"The user wants a review of PR #13, compared with #7.": "",
		"The user wants a review of PR #31, compared with #7.": ValueMissing,
		"The user wants a review of PR #13, compared with #8.": ValueMissing,
	} {
		got, _ := grounded(x, Statement{Text: text, Quote: "Review the code in",
			Messages: []int{1}})
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A quote has a word whatever stands beside it.
func TestQuotesOfOneChunk(t *testing.T) {
	x := NewIndex(parse(t, "user: Which branch is the request of?",
		`tool: {"branch":"add-compact-transcripts","state":"open","merged":false}`), 1)
	for quote, want := range map[string]Reason{
		"add-compact-transcripts":           "",
		`"state":"open","merged":false`:     "",
		`"open"`:                            "",
		"——— ··· ———":                       QuoteMissing,
		`"branch":"add-compact-transcripts`: "",
	} {
		got, _ := grounded(x, Statement{Text: "The branch add-compact-transcripts is open.",
			Quote: quote, Messages: []int{2}})
		if got != want {
			t.Errorf("%q: %q, want %q", quote, got, want)
		}
	}
}
