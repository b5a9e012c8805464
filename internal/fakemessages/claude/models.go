package claude

import (
	"regexp"
	"strings"
)

// Model is what the API makes of one model.
type Model struct {
	// Generation orders models by age: a model reads the thinking of its own and older generations.
	Generation int
	// ReadsOwnOnly is set for models that read no other model's thinking.
	ReadsOwnOnly bool
	// PreservesThinking is set for models that check what precedes a thinking block.
	PreservesThinking bool
	// Manual and Adaptive are the kinds of thinking that the model accepts; Always is set if
	// thinking cannot be turned off, Default if it is on without being asked for.
	Manual, Adaptive, Always, Default bool
	// OmitsThinking is set if thinking comes back without its text unless it is asked for.
	OmitsThinking bool
	// StripsThinking is set for models that do not see the thinking of earlier turns.
	StripsThinking bool
	// Prefill is set for models that go on from a last assistant turn.
	Prefill bool
	// SystemMessages is set for models that take role "system" in messages.
	SystemMessages bool
	// LeastCached is how many tokens a prefix must have to be cached.
	LeastCached int
}

// The kinds of models, oldest first. Thinking, defaults and what is refused:
// https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting; which models keep
// thinking: …/preserved-thinking; prefill: …/api/errors and
// ericc-ch/copilot-api#261 (refused since 4.6).
var (
	claude3  = Model{Prefill: true, StripsThinking: true}
	claude4  = Model{Prefill: true, StripsThinking: true, Manual: true}
	claude46 = Model{Manual: true, Adaptive: true}
	claude47 = Model{Adaptive: true, OmitsThinking: true}
	claude5  = Model{Adaptive: true, OmitsThinking: true, Default: true,
		SystemMessages: true}
	always    = with(claude5, func(m *Model) { m.Always = true })
	preserved = with(claude5, func(m *Model) { m.PreservesThinking = true })
	checked   = with(always, func(m *Model) { m.PreservesThinking = true })
)

func with(m Model, change func(*Model)) Model {
	change(&m)
	return m
}

// models are known by the start of their name, the longest first. The second number is the minimum
// of the prompt cache: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
// (cache limitations) and the models' own pages below …/docs/en/models for those of 5.5; that of
// the 5.2 models is taken to be that of 5.1.
var models = []struct {
	name       string
	model      Model
	minCached  int
	generation int
}{
	{"claude-3-5-haiku", claude3, 2048, 1},
	{"claude-3-7-sonnet", claude4, 1024, 2},
	{"claude-sonnet-4", claude4, 1024, 3},
	{"claude-opus-4", claude4, 1024, 3},
	{"claude-opus-4-1", claude4, 1024, 4},
	{"claude-sonnet-4-5", claude4, 1024, 5},
	{"claude-haiku-4-5", claude4, 4096, 6},
	{"claude-opus-4-5", with(claude4, keepsThinking), 4096, 7},
	{"claude-opus-4-6", claude46, 4096, 8},
	{"claude-sonnet-4-6", claude46, 1024, 8},
	{"claude-opus-4-7", claude47, 2048, 9},
	{"claude-opus-4-8", with(claude47, takesSystem), 1024, 10},
	{"claude-sonnet-5", claude5, 1024, 11},
	{"claude-opus-5", claude5, 512, 12},
	{"claude-fable-5", always, 512, 12},
	{"claude-mythos-5", always, 512, 12},
	{"claude-opus-5-5", checked, 512, 13},
	{"claude-sonnet-5-5", preserved, 512, 13},
	{"claude-haiku-5-5", with(preserved, func(m *Model) { m.ReadsOwnOnly = true }), 512, 13},
	{"claude-fable-5-1", checked, 512, 14},
	{"claude-mythos-5-1", checked, 512, 14},
	{"claude-fable-5-2", checked, 512, 15},
	{"claude-mythos-5-2", checked, 512, 15},
}

func keepsThinking(m *Model) { m.StripsThinking = false }
func takesSystem(m *Model)   { m.SystemMessages = true }

// versionSuffix is what may follow the name of a model: a date, an alias or a platform's version,
// but not the number of another model.
var versionSuffix = regexp.MustCompile(`^(-0|-latest|[-@][0-9]{8})?(-v[0-9]+)?(:[0-9]+)?$`)

// Named returns what the API makes of a model, and whether it knows one of that name. A date
// or a version after the name, and a platform before it, are ignored.
func Named(name string) (Model, bool) {
	if i := strings.LastIndex(name, "claude-"); i > 0 {
		name = name[i:]
	}
	found, longest := Model{}, 0
	for _, m := range models {
		rest, ok := strings.CutPrefix(name, m.name)
		if ok && len(m.name) > longest && versionSuffix.MatchString(rest) {
			found, longest = m.model, len(m.name)
			found.LeastCached, found.Generation = m.minCached, m.generation
		}
	}
	return found, longest > 0
}

// BetweenTools reports whether the model takes thinking of type between_tools.
func BetweenTools(name string) bool { return strings.Contains(name, "claude-sonnet-5-5") }

// Reads reports whether the model reads the thinking of another.
func (m *Model) Reads(name, made string, maker Model) bool {
	if name == made {
		return true
	}
	return !m.ReadsOwnOnly && maker.Generation <= m.Generation
}

// Summarizes reports whether models of a name write summaries: Opus and Sonnet since 4.6, Fable and
// Mythos.
func (m *Model) Summarizes(name string) bool {
	const since = 8 // the generation of 4.6
	return m.Generation >= since && !strings.Contains(name, "haiku")
}

// LookUp returns what a script's own models or else the table make of a model.
func LookUp(own map[string]Model, name string) (Model, bool) {
	if m, ok := own[name]; ok {
		return m, true
	}
	return Named(name)
}
