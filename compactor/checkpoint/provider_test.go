package checkpoint

import (
	"errors"
	"testing"
)

// What is stored of a provider's summary must have a place after the folded turns and within the
// conversation, and be one JSON object.
func TestProviderSummariesAreChecked(t *testing.T) {
	msgs := conversation(t)
	for name, change := range map[string]func(*ProviderSummary){
		"as it was made":        func(*ProviderSummary) {},
		"within the fold":       func(p *ProviderSummary) { p.Place = 2 },
		"past the conversation": func(p *ProviderSummary) { p.Place = len(msgs) + 1 },
		"no size":               func(p *ProviderSummary) { p.Tokens = 0 },
		"no JSON":               func(p *ProviderSummary) { p.Raw = []byte(`{"role":`) },
		"no object":             func(p *ProviderSummary) { p.Raw = []byte(`"text"`) },
		"an object and more":    func(p *ProviderSummary) { p.Raw = append(p.Raw, " {}"...) },
		"fewer than no parts":   func(p *ProviderSummary) { p.Unsigned = -1 },
	} {
		cp := full(t)
		change(cp.Provider)
		value, err := cp.Encode()
		if err != nil {
			t.Fatal(err)
		}
		_, err = Decode(value, cp.Covers, msgs)
		if good := name == "as it was made"; errors.Is(err, ErrUnreadable) == good {
			t.Errorf("%s: %v", name, err)
		}
	}
	alone := &Checkpoint{Covers: 6, Provider: full(t).Provider}
	if _, err := Decode(encode(t, alone), 6, msgs); !errors.Is(err, ErrUnreadable) {
		t.Errorf("in place of nothing: %v", err)
	}
}

// The form by rules that takes its place covers more, so that it is found first, and counts the
// summary no more.
func TestFormWithoutProvider(t *testing.T) {
	cp := full(t)
	plain := cp.WithoutProvider(8)
	if plain.Provider != nil || plain.Covers != cp.Covers+1 || plain.At != 8 ||
		plain.Written != "" {
		t.Errorf("%+v", plain)
	}
	if cp.Provider == nil || cp.WithoutProvider(cp.Covers).Covers != cp.Covers {
		t.Error("the form was changed, or covers more than there is")
	}
	other := *cp
	other.DropSigned(8)
	if other.Provider.Unsigned != 8 || cp.Provider.Unsigned != 4 {
		t.Errorf("dropped up to %d, the form before up to %d", other.Provider.Unsigned,
			cp.Provider.Unsigned)
	}
}
