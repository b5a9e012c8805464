package plan

import "testing"

func TestWhatATurnIsExpectedToCost(t *testing.T) {
	stay := Option{Outcome: Stay, After: 20_000}
	fold := Option{Outcome: Fold, After: 8_000, Rewritten: 6_000}
	hold := Prices{}.Hold
	for _, c := range []struct {
		name   string
		look   Outlook
		option Option
		want   int // ten-thousandths of a fresh token
	}{
		{"a cached request is sent again", Outlook{Turns: 10}, stay, hold(20_000)},
		{
			"what is rewritten is shared by the turns to come", Outlook{Turns: 10}, fold,
			hold(8_000) + 6_000*9000*3/2/10,
		},
		{
			"more turns, a smaller share", Outlook{Turns: 100}, fold,
			hold(8_000) + 6_000*9000*3/2/100,
		},
		{
			"without a cache all of it is fresh, whatever the form", Outlook{Turns: 10, Cold: true},
			stay, hold(20_000) + 20_000*9000/10,
		},
		{
			"and a new form rewrites nothing", Outlook{Turns: 10, Cold: true}, fold,
			hold(8_000) + 8_000*9000/10,
		},
		{
			"what is fetched again is fresh", Outlook{Turns: 10},
			Option{Outcome: Mask, After: 8_000, Loss: 500}, hold(8_000) + 500*10_000*3/2/10,
		},
	} {
		if got := c.look.costOf(c.option); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

// A form is made if it saves much for many turns, and not if it saves little for a few turns.
func TestAFormMustBeExpectedToPay(t *testing.T) {
	for _, c := range []struct {
		turns, size, after, rewritten int
		pays                          bool
	}{
		{turns: 50, size: 20_000, after: 8_000, rewritten: 6_000, pays: true},
		{turns: 4, size: 4_000, after: 3_500, rewritten: 3_000, pays: false},
		{turns: 4, size: 20_000, after: 19_000, rewritten: 600, pays: false},
		{turns: 4, size: 20_000, after: 19_000, rewritten: 300, pays: true},
	} {
		look := Outlook{Turns: c.turns}
		stay := look.costOf(Option{Outcome: Stay, After: c.size})
		form := look.costOf(Option{Outcome: Fold, After: c.after, Rewritten: c.rewritten})
		if (form < stay) != c.pays {
			t.Errorf("%+v: %d a turn in the new form, %d in the old one", c, form, stay)
		}
	}
}
