package settings

import (
	"path"
	"slices"
)

// Excluded reports whether outputs of a tool are never masked or truncated.
func (p *Policy) Excluded(tool string) bool {
	return slices.ContainsFunc(p.ExcludeTools, func(pattern string) bool {
		return matches(pattern, tool)
	})
}

// Strict reports whether a model's upstream requires turns to alternate.
func (p *Policy) Strict(model string) bool {
	if strict, ok := ForModel(p.StrictModels, model); ok {
		return strict
	}
	return p.StrictTurns
}

// matches reports whether a name equals a pattern or matches it as in path.Match.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil || pattern == name
}
