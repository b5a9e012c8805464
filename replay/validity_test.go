package replay

import (
	"strings"
	"testing"
)

// Each case makes one fault.
func TestFaultsAreCounted(t *testing.T) {
	long := "first of all " + strings.Repeat("words of the user's ", 700) // 14,013 bytes
	messages := []string{
		msg("system", "be brief"), msg("user", "/init"), msg("user", "fix it"),
		call("1", `{}`), result("1", "50 long enough"),
		msg("user", "and this"), msg("user", "<system-reminder>from the client</system-reminder>"),
		msg("assistant", "ok"),
		msg("user", long), msg("assistant", "ok"),
	}
	for name, test := range map[string]struct {
		from  int // the fault is made in requests of more messages than this
		pairs []string
		want  Validity
	}{
		"none":            {5, nil, Validity{}},
		"a hidden output": {5, []string{"50 long enough", "5 short"}, Validity{}},
		"call without result": {5, []string{"," + result("1", "50 long enough"), ""},
			Validity{BrokenPairs: 2}},
		"result without call": {5, []string{call("1", `{}`) + ",", ""}, Validity{BrokenPairs: 2}},
		"result for another": {5, []string{`"tool_call_id":"1"`, `"tool_call_id":"2"`},
			Validity{BrokenPairs: 2}},
		"instructions": {5, []string{"be brief", "be kind"},
			Validity{ChangedInstructions: 2}},
		"no instructions": {5, []string{msg("system", "be brief") + ",", ""},
			Validity{ChangedInstructions: 2}},
		"the task":           {5, []string{"fix it", "fix"}, Validity{LostTask: 2}},
		"a command":          {5, []string{"/init", "init"}, Validity{}},
		"the latest request": {5, []string{"and this", "and"}, Validity{LostRequest: 1}},
		"the client's note":  {5, []string{"from the client", "none"}, Validity{LostRequest: 1}},
		"an older request":   {8, []string{"and this", "and"}, Validity{}},
		"the middle of many": {8, []string{long, long[:5000] + "…" + long[9000:]}, Validity{}},
		"the head of many":   {8, []string{long, long[10:]}, Validity{LostRequest: 1}},
		"another field": {5, []string{`"model":"m"`, `"model":"n"`},
			Validity{ChangedFields: 2}},
		"a field more": {5, []string{`]}`, `],"n":1}`},
			Validity{ChangedFields: 2, Grew: 2}},
		"more tokens": {5, []string{"50 long enough", "51 long"}, Validity{Grew: 2}},
		"more bytes": {5, []string{"50 long enough", "50 long and longer enough"},
			Validity{Grew: 2}},
		"no JSON": {5, []string{"[", "("}, Validity{Failed: 2}},
		"moved an instruction": {5,
			[]string{msg("system", "be brief") + ",", "", msg("user", "fix it"),
				msg("user", "fix it") + "," + msg("system", "be brief")}, Validity{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := measure(t, study(t, say{}, messages...), replacing(test.from, test.pairs...))
			if f.Validity != test.want {
				t.Errorf("validity %+v, want %+v", f.Validity, test.want)
			}
			if test.want.Faults() == 0 && f.Validity.Faults() != 0 {
				t.Errorf("%d faults, want none", f.Validity.Faults())
			}
		})
	}
}

func TestPanicIsAFailedTurn(t *testing.T) {
	s := study(t, say{}, msg("user", "a"), msg("assistant", "b"), msg("user", "c"),
		msg("assistant", "d"))
	f := measure(t, s, Strategy{Name: "panics", Open: func(Clock) (Forwarder, func() error, error) {
		return func([]byte) Forwarded { panic("no") }, func() error { return nil }, nil
	}})
	if f.Validity != (Validity{Failed: 2}) || f.Tokens.All.Share() != 1 {
		t.Errorf("validity %+v, tokens %+v", f.Validity, f.Tokens)
	}
}

// Faults of the client itself are not attributed to a strategy.
func TestClientsOwnFaults(t *testing.T) {
	f := measure(t, study(t, say{}, msg("user", "a"), result("9", "orphan"), msg("assistant", "b")),
		Nothing())
	if f.Validity.Faults() != 0 {
		t.Errorf("validity %+v, want no faults", f.Validity)
	}
}
