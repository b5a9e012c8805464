package describe

import (
	"slices"
	"testing"

	"killick/transcript"
)

// What later calls name the objects of a list by is another word in each of them.
func TestKeysOfLists(t *testing.T) {
	for text, want := range map[string][]string{
		`{"data":[{"stage":"New","id":"deal_95","amount":70},` +
			`{"stage":"New","id":"deal_88","amount":90}],"paging":{"after":"c1"}}`: {
			"deal_95", "deal_88"},
		`[{"id":20001,"key":"PAY-9","fields":{"id":1}},{"id":20002,"key":"PAY-8"}]`: {
			"20001", "20002", "PAY-9", "PAY-8"},
		`{"data":{"repository":{"issues":{"edges":[{"cursor":"c","node":{"number":7}},` +
			`{"cursor":"d","node":{"number":9}}]}}}}`: {"7", "9"},
		`[{"name":"Kim 1"},{"name":"Lee 2"}]`: nil,
		`[{"score":0.1},{"score":0.2}]`:       nil,
		`[{"id":"a1"},{"id":"a1"}]`:           nil,
		`[{"id":"a1"},{"key":"a2"}]`:          nil,
		`[{"id":"a1"}]`:                       nil,
		`[{"id":"a1"},"a2"]`:                  nil,
		`{"id":"a1"} {"id":"a2"}`:             nil,
		`[{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":"x1"},` +
			`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":"x2"}]`: nil,
	} {
		if got := Keys(text, &transcript.Call{Name: "list_deals"}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	rows := `[{"id":"a1"},{"id":"a2"}]`
	if got := Keys(rows, &transcript.Call{Effect: transcript.Runs}); got != nil {
		t.Errorf("a command printed %q", got)
	}
}
