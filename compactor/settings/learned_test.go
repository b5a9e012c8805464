package settings

import (
	"testing"

	"killick/compaction"
)

func TestWhatRefusalsTeach(t *testing.T) {
	for name, test := range map[string]struct {
		before Learned
		o      compaction.Overflow
		ratio  float64
		want   Learned
		ok     bool
	}{
		"a window": {
			o: compaction.Overflow{Window: 8000, Prompt: 10_000, Sent: 10_000, Try: 1}, ratio: 1,
			want: Learned{Window: 8000, Stated: true, Ratio: 1, TruncateOver: 4000}, ok: true,
		},
		"one counted otherwise": {
			o: compaction.Overflow{Window: 8000, Prompt: 12_000, Sent: 10_000, Try: 1}, ratio: 1,
			want: Learned{Window: 8000, Stated: true, Ratio: 1.2, TruncateOver: 3333}, ok: true,
		},
		"one that we thought to fit": {
			o: compaction.Overflow{Window: 8000, Sent: 5000, Try: 1}, ratio: 1,
			want: Learned{Window: 8000, Stated: true, Ratio: 8001. / 5000, TruncateOver: 2499},
			ok:   true,
		},
		"a ratio beyond belief": {
			o: compaction.Overflow{Window: 8000, Prompt: 90_000, Sent: 9000, Try: 1}, ratio: 1,
			want: Learned{Window: 8000, Stated: true, Ratio: maxRatio, TruncateOver: 2000},
			ok:   true,
		},
		"a bound of the prompt": {
			o: compaction.Overflow{Input: 8000, Prompt: 10_000, Sent: 10_000, Try: 1}, ratio: 1,
			want: Learned{Window: 8000, Stated: true, Input: true, Ratio: 1, TruncateOver: 4000},
			ok:   true,
		},
		"with a completion": {
			o: compaction.Overflow{
				Window: 8000, Prompt: 7000, Output: 2000, Sent: 7000, Try: 1,
			},
			ratio: 1,
			want:  Learned{Window: 8000, Stated: true, Output: true, Ratio: 1, TruncateOver: 3000},
			ok:    true,
		},
		"by how much": {
			o: compaction.Overflow{Over: 2000, Sent: 10_000, Try: 1}, ratio: 1,
			want: Learned{
				Window: 8000, Stated: true, Input: true, Ratio: 8001. / 10_000, TruncateOver: 4000,
			},
			ok: true,
		},
		"by how much, of a model that counts more": {
			o: compaction.Overflow{Over: 2000, Sent: 10_000, Try: 1}, ratio: 1.5,
			want: Learned{
				Window: 13_000, Stated: true, Input: true, Ratio: 1.3001, TruncateOver: 4333,
			},
			ok: true,
		},
		"nothing stated by a model that counts more": {
			o: compaction.Overflow{Sent: 10_000, Try: 1}, ratio: 1.5,
			want: Learned{Window: 13_500, TruncateOver: 4500}, ok: true,
		},
		"the smallest window": {
			o: compaction.Overflow{Window: minWindow, Sent: 300, Try: 1}, ratio: 1,
			want: Learned{Window: minWindow, Stated: true, Ratio: 257. / 300, TruncateOver: 128},
			ok:   true,
		},
		"the same window again": {
			before: Learned{Window: 8000, TruncateOver: 1000},
			o:      compaction.Overflow{Window: 8000, Prompt: 10_000, Sent: 10_000, Try: 1},
			ratio:  1,
			want:   Learned{Window: 8000, Stated: true, Ratio: 1, TruncateOver: 1000}, ok: true,
		},
		"a smaller window": {
			before: Learned{Window: 9000, TruncateOver: 1000},
			o:      compaction.Overflow{Window: 8000, Prompt: 10_000, Sent: 10_000, Try: 1},
			ratio:  1,
			want:   Learned{Window: 8000, Stated: true, Ratio: 1, TruncateOver: 4000}, ok: true,
		},
		"nothing stated": {
			o: compaction.Overflow{Sent: 10_000, Try: 1}, ratio: 1,
			want: Learned{Window: 9000, TruncateOver: 4500}, ok: true,
		},
		"nothing stated, less than before": {
			before: Learned{Window: 5000, Stated: true},
			o:      compaction.Overflow{Sent: 10_000, Try: 1}, ratio: 1,
			want: Learned{Window: 5000, TruncateOver: 2500}, ok: true,
		},
		"a second refusal": {
			o: compaction.Overflow{Window: 8000, Prompt: 10_000, Sent: 10_000, Try: 2}, ratio: 1,
			want: Learned{Window: 8000, Stated: true, Ratio: 1, TruncateOver: 2000}, ok: true,
		},
		"the completion leaves no room": {
			o:     compaction.Overflow{Window: 8000, Prompt: 100, Output: 8000, Sent: 100, Try: 1},
			ratio: 1,
		},
		"the completion leaves too little": {
			o: compaction.Overflow{
				Window: 80_000, Prompt: 9000, Output: 79_000, Sent: 9000, Try: 1,
			},
			ratio: 1,
		},
		"no window of a model": {
			o: compaction.Overflow{Window: 8, Prompt: 9, Sent: 9, Try: 1}, ratio: 1,
		},
	} {
		got, ok := test.before.After(test.o, test.ratio)
		if !test.ok {
			test.want = test.before
		}
		if got != test.want || ok != test.ok {
			t.Errorf("%s: got %+v, %t, want %+v, %t", name, got, ok, test.want, test.ok)
		}
	}
}

// What was learned never raises what the operator configured.
func TestLearnedWindowsOnlyLower(t *testing.T) {
	own := Window{Tokens: 32_000, Reserve: 4000}
	for name, test := range map[string]struct {
		l      Learned
		output int
		want   Window
	}{
		"nothing":        {Learned{}, 9000, own},
		"more":           {Learned{Window: 64_000}, 9000, own},
		"more of prompt": {Learned{Window: 64_000, Input: true}, 0, own},
		"less":           {Learned{Window: 8000}, 9000, Window{8000, 1000}},
		"less of prompt": {
			Learned{Window: 8000, Input: true}, 0, Window{8000, 160},
		},
		"more of prompt than there is room": {
			Learned{Window: 30_000, Input: true}, 0, own,
		},
		"as much of prompt as there is room": {
			Learned{Window: 28_000, Input: true}, 0, own,
		},
		"the completion counts": {
			Learned{Window: 64_000, Output: true}, 9000, Window{32_000, 9000},
		},
		"a completion of nearly all": {
			Learned{Window: 8000, Output: true}, 9000, Window{8000, 7000},
		},
	} {
		got := test.l.bound(own, test.output)
		if got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
		if got.Tokens-got.Reserve > own.Tokens-own.Reserve {
			t.Errorf(
				"%s: room for %d, the operator has %d",
				name,
				got.Tokens-got.Reserve,
				own.Tokens-own.Reserve,
			)
		}
	}
}
