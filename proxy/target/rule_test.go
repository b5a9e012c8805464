package target

import (
	"math/rand/v2"
	"testing"

	"killick/proxy/format"
)

func TestRules(t *testing.T) {
	rules := []Rule{
		{Formats: []format.Format{format.Messages}, Models: []string{"claude-*"}},
		{Paths: []string{"/v1beta/", "/model/"}},
		{Models: []string{"gpt-*", "o3", "org/*"}},
		{Formats: []format.Format{format.Chat, format.Other}},
	}
	for _, test := range []struct {
		path, model     string
		byPath, byModel int
	}{
		{"/v1/messages", "claude-x", Unknown, 0},
		{"/v1/messages", "gpt-x", Unknown, 2},
		{"/v1/messages", "qwen", Unknown, None},
		{"/v1/messages", "", Unknown, 0},
		{"/v1/messages/count_tokens", "claude-x", Unknown, 0},
		{"/v1/chat/completions", "claude-x", Unknown, 3},
		{"/v1/chat/completions", "o3", Unknown, 2},
		{"/v1/chat/completions", "o3-mini", Unknown, 3},
		{"/v1/chat/completions", "org/a", Unknown, 2},
		{"/v1/chat/completions", "org/a/b", Unknown, 3},
		{"/v1beta/models/gpt-x:generateContent", "gpt-x", 1, 1},
		{"/model/org%2Fa/invoke", "org/a", 1, 1},
		{"/openai/deployments/gpt-4/chat/completions", "gpt-4", 2, 2},
		{"/v1/models/gpt-4", "gpt-4", 2, 2},
		{"/v1/models", "", Unknown, 2},
		{"/v1/responses", "qwen", Unknown, None},
	} {
		kind := format.KindOf(test.path)
		if got := ByPath(rules, test.path, kind); got != test.byPath {
			t.Errorf("%s: by path %d, want %d", test.path, got, test.byPath)
		}
		if got := ByModel(rules, test.path, kind, test.model); got != test.byModel {
			t.Errorf("%s, %s: by model %d, want %d", test.path, test.model, got, test.byModel)
		}
	}
	all := []Rule{{}}
	if !all[0].Any() || rules[1].Any() || ByPath(all, "*", format.KindOther) != 0 ||
		ByPath(all, "/v1/messages", format.KindMessages) != 0 {
		t.Error("a zero rule does not take everything by its path")
	}
	if got := ByPath(nil, "/", format.KindOther); got != None {
		t.Errorf("without rules: %d", got)
	}
}

// A rule covers another one only if each of its lists does.
func TestRuleCovers(t *testing.T) {
	chat, both := []format.Format{format.Chat}, []format.Format{format.Messages, format.Chat}
	of := func(models ...string) Rule { return Rule{Models: models} }
	under := func(paths ...string) Rule { return Rule{Paths: paths} }
	for name, test := range map[string]struct {
		rule, other Rule
		want        bool
	}{
		"everything":           {Rule{}, Rule{Formats: chat, Models: []string{"gpt-*"}}, true},
		"not everything":       {Rule{Formats: chat}, Rule{}, false},
		"the same":             {Rule{Formats: chat}, Rule{Formats: chat}, true},
		"one of its formats":   {Rule{Formats: both}, Rule{Formats: chat}, true},
		"one format more":      {Rule{Formats: chat}, Rule{Formats: both}, false},
		"a longer path":        {under("/a"), under("/a/b"), true},
		"a shorter path":       {under("/a/b"), under("/a"), false},
		"a model of a pattern": {of("gpt-*"), of("gpt-5"), true},
		"the same pattern":     {of("gpt-*"), of("gpt-*"), true},
		"a pattern it matches": {of("a?"), of("a*"), false},
		"models of one":        {of("a"), Rule{Formats: chat}, false},
		"models within formats": {
			Rule{Formats: chat}, Rule{Formats: chat, Models: []string{"a"}}, true,
		},
		"other lists": {Rule{Formats: chat}, under("/v1/chat"), false},
	} {
		if got := test.rule.Covers(&test.other); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// No request reaches a rule that one before it covers.
func TestCoveredRulesAreNotReached(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(of ...string) (list []string) {
		for range random.IntN(3) {
			list = append(list, of[random.IntN(len(of))])
		}
		return list
	}
	rule := func() (r Rule) {
		for _, f := range some("chat", "messages", "gemini") {
			r.Formats = append(r.Formats, format.Format(f))
		}
		r.Models = some("a", "b", "a/b", "a*", "a?", "*", "[ab]", `a\*`, `\a`, "[^a]", "[")
		r.Paths = some("/", "/v1", "/v1/", "/v1/chat/", "/v1beta/models/a")
		return r
	}
	kinds := []format.Kind{format.KindChat, format.KindMessages, format.KindGemini}
	paths := []string{"/", "/v1", "/v1/chat/completions", "/v1beta/models/a:generateContent",
		"/v1beta/models/a%2Fb:generateContent", "/v1beta/models/%zz:generateContent"}
	models := []string{"", "a", "b", "c", "ab", "a/b", "a*", "a?", "*", `a\*`, `\a`, "["}
	covered := 0
	for range 20_000 {
		rules := []Rule{rule(), rule()}
		if !rules[0].Covers(&rules[1]) {
			continue
		}
		covered++
		for _, kind := range kinds {
			for _, path := range paths {
				reached := ByPath(rules, path, kind) == 1
				for _, model := range models {
					reached = reached || ByModel(rules, path, kind, model) == 1
				}
				if reached {
					t.Fatalf("%+v: a request to %s, %s, reaches the second", rules, path, kind)
				}
			}
		}
	}
	if covered < 100 {
		t.Errorf("only %d of the rules were covered", covered)
	}
}
