package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// object is a schema of an object.
type object struct {
	Properties           map[string]struct{ Items *object }
	Required             []string
	AdditionalProperties *bool
}

func parse(t *testing.T, s *Schema) (all object, entry object) {
	t.Helper()
	if err := json.Unmarshal(s.JSON, &all); err != nil {
		t.Fatal(err)
	}
	for _, list := range all.Properties {
		entry = *list.Items
	}
	return all, entry
}

// Strict mode only accepts objects whose members are all required and that allow no others
// (https://platform.openai.com/docs/guides/structured-outputs).
func TestSchemasAreStrict(t *testing.T) {
	for _, s := range []*Schema{
		Statements, StatementsAppend, Questions, QuestionsAppend, Verdicts, Answers, Grades,
	} {
		all, entry := parse(t, s)
		if len(all.Properties) != 1 || len(entry.Properties) < 2 {
			t.Errorf("%s has %d members, its entries %d; want one list of entries",
				s.Name, len(all.Properties), len(entry.Properties))
		}
		for _, o := range []object{all, entry} {
			if o.AdditionalProperties == nil || *o.AdditionalProperties {
				t.Errorf("%s allows additional members", s.Name)
			}
			for name := range o.Properties {
				if !slices.Contains(o.Required, name) {
					t.Errorf("%s does not require %s", s.Name, name)
				}
			}
		}
	}
}

// The schemas of append are the others without message numbers.
func TestSchemasOfAppend(t *testing.T) {
	for _, test := range []struct {
		numbered, append *Schema
		member           string
	}{
		{Statements, StatementsAppend, "messages"},
		{Questions, QuestionsAppend, "message"},
	} {
		_, with := parse(t, test.numbered)
		_, without := parse(t, test.append)
		isNumber := func(name string) bool { return name == test.member }
		want := slices.DeleteFunc(with.Required, isNumber)
		if got := without.Required; !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s requires %v, want %v", test.append.Name, got, want)
		}
	}
}

func TestNoMemberForTheUsersWishes(t *testing.T) {
	const sections = `"enum":["decision","completed","failed","open","next","state","fact"]`
	for _, s := range []*Schema{Statements, StatementsAppend} {
		if !strings.Contains(string(s.JSON), sections) {
			t.Errorf("%s has other sections: %s", s.Name, s.JSON)
		}
	}
}
