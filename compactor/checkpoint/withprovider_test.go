package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/messages"
	"killick/view"
)

// withClaude returns a conversation over the Messages API. Its messages are letters: u of the user,
// a of the model, t likewise, with thinking, o with nothing else, s an instruction, c a call with
// its result.
func withClaude(t *testing.T, model, letters string) *layout.View {
	t.Helper()
	var list []string
	for i, letter := range letters {
		text := fmt.Sprintf(`"content":"message %d"`, i)
		switch letter {
		case 'u':
			list = append(list, `{"role":"user",`+text+`}`)
		case 'a':
			list = append(list, `{"role":"assistant",`+text+`}`)
		case 't', 'o':
			blocks := `{"type":"thinking","thinking":"x","signature":"y"}`
			if letter == 't' {
				blocks += fmt.Sprintf(`,{"type":"text","text":"message %d"}`, i)
			}
			list = append(list, `{"role":"assistant","content":[`+blocks+`]}`)
		case 's':
			list = append(list, `{"role":"system",`+text+`}`)
		case 'c':
			list = append(list, fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use",`+
				`"id":"t%d","name":"read","input":{}}]}`, i), fmt.Sprintf(`{"role":"user",`+
				`"content":[{"type":"tool_result","tool_use_id":"t%d","content":"ok"}]}`, i))
		}
	}
	req, err := view.Parse(messages.Format, fmt.Appendf(nil, `{"model":%q,"messages":[%s]}`, model,
		strings.Join(list, ",")))
	if err != nil {
		t.Fatal(err)
	}
	v := layout.New(req, chattest.Counter{})
	v.Split()
	return v
}

// summarizes is a model that writes summaries and checks what precedes its thinking.
const summarizes = "claude-fable-5-1"

// A provider's summary replaces turns only where the API accepts it: first, before another speaker,
// and with no more than one instruction among the turns.
func TestWhereProvidersSummariesMayStand(t *testing.T) {
	for name, c := range map[string]struct {
		model, letters string
		strict         bool
		want           []int
	}{
		"turns and calls":       {summarizes, "ucauau", false, []int{1, 3, 4, 5, 6}},
		"two of one speaker":    {summarizes, "uauuaau", false, []int{1, 2, 4, 6}},
		"one instruction":       {summarizes, "uauusaua", false, []int{1, 2, 6, 7}},
		"after the model":       {summarizes, "uasau", false, []int{1, 4}},
		"two instructions":      {summarizes, "usausaua", false, []int{3}},
		"another model":         {"claude-haiku-4-5", "ucauau", false, nil},
		"strict turns":          {summarizes, "ucauau", true, nil},
		"leading instructions":  {summarizes, "sucauau", false, nil},
		"a model that is older": {"claude-opus-4-5", "uaua", false, nil},
	} {
		v := withClaude(t, c.model, c.letters)
		v.Strict = c.strict
		var got []int
		for n := range len(v.Messages) + 1 {
			if MayPrecede(v, n) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: after %v messages, want %v", name, got, c.want)
		}
	}
}

// The rest of the replacement is sent before the request that is to be answered, and nothing that
// the provider's summary precedes is changed.
func TestPlaceOfAProvidersSummary(t *testing.T) {
	form := func(fold int, masks ...int) *Checkpoint {
		cp := &Checkpoint{Covers: fold, Fold: fold, At: 4}
		for _, i := range masks {
			cp.Masks = append(cp.Masks, Mask{Index: i})
		}
		return cp
	}
	earlier := form(1)
	earlier.Provider = &ProviderSummary{Place: 5, Unsigned: 2}
	later := form(1)
	later.Provider = &ProviderSummary{Place: 3, Unsigned: 2}
	for name, c := range map[string]struct {
		letters         string
		cp, before      *Checkpoint
		place, unsigned int // 0 if it cannot stand there
	}{
		"before a request":            {"uauau", form(2), nil, 4, 0},
		"after results":               {"uauac", form(2), nil, 6, 0},
		"after the model":             {"uauaua", form(2), nil, 6, 0},
		"after two requests":          {"uauauu", form(2), nil, 6, 0},
		"nothing before the request":  {"uauau", form(4), nil, 0, 0},
		"the same speaker follows":    {"uauua", form(3), nil, 0, 0},
		"an earlier form":             {"uauau", form(2), form(1), 4, 4},
		"a summary before it":         {"uauau", form(4), later, 0, 0},
		"a summary that ends earlier": {"uauaua", form(3), later, 6, 2},
		"a summary that ends later":   {"uauaua", form(4), earlier, 0, 0},
		"an output masked before":     {"uaucau", form(2), form(1, 4), 0, 0},
		"the same output masked":      {"uaucau", form(2, 4), form(1, 4), 6, 4},
		"an output newly masked":      {"uaucau", form(2, 4), nil, 0, 0},
		"an output masked and folded": {"ucauau", form(4), form(1, 2), 6, 4},
		"an instruction after it":     {"uauasa", form(2), nil, 6, 0},
		"an instruction at the end":   {"uauas", form(2), nil, 0, 0},
		"an instruction in it":        {"uausaua", form(5), nil, 7, 0},
		"one in it, and a request":    {"uausauau", form(5), nil, 8, 0},
		"instructions in and after":   {"uausausa", form(5), nil, 0, 0},
	} {
		v := withClaude(t, summarizes, c.letters)
		raw := []byte(`{"role":"assistant","content":"what it was about"}`)
		with, err := c.cp.WithProvider(v, c.before, ProviderSummary{Raw: raw}, chattest.Counter{})
		if c.place == 0 {
			if !errors.Is(err, errNotFirst) {
				t.Errorf("%s: %+v, %v, want %v", name, with, err, errNotFirst)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		counter := chattest.Counter{}
		tokens := counter.Message(&view.Message{Raw: raw}) +
			counter.Message(&view.Message{Raw: introduction})
		p := with.Provider
		if p.Place != c.place || p.Unsigned != c.unsigned || p.Tokens != tokens ||
			with.Covers != len(v.Messages)-1 || c.cp.Provider != nil {
			t.Errorf("%s: %+v, covers %d; want the place %d, %d unsigned, %d tokens", name, p,
				with.Covers, c.place, c.unsigned, tokens)
		}
	}
	v := withClaude(t, summarizes, "uauau")
	torn := ProviderSummary{Raw: []byte(`{`)}
	if _, err := form(2).WithProvider(v, nil, torn, chattest.Counter{}); err == nil {
		t.Error("a summary that cannot be read has a place")
	}
}
