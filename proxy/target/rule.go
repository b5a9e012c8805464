package target

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"killick/proxy/format"
)

// Rule says which requests an upstream matches. A zero Rule matches all.
type Rule struct {
	Formats []format.Format // if empty, all
	Paths   []string        // prefixes of the client's path; if empty, all
	// Models are names, or patterns as in path.Match; if empty, all. They do not apply to
	// requests that name no model, such as lists of models.
	Models []string
}

// Any reports whether the rule matches every request.
func (r *Rule) Any() bool { return len(r.Formats)+len(r.Paths)+len(r.Models) == 0 }

// Covers reports whether the rule matches every request that other matches, as far as that follows
// from their lists: patterns are only compared as text.
func (r *Rule) Covers(other *Rule) bool {
	return covers(r.Formats, other.Formats, func(f format.Format) bool {
		return slices.Contains(r.Formats, f)
	}) && covers(r.Paths, other.Paths, func(beginning string) bool {
		return slices.ContainsFunc(r.Paths, func(shorter string) bool {
			return strings.HasPrefix(beginning, shorter)
		})
	}) && covers(r.Models, other.Models, func(model string) bool {
		return slices.Contains(r.Models, model) ||
			!strings.ContainsAny(model, `*?[\`) && r.takesModel(model)
	})
}

// covers reports whether a list, which matches everything if it is empty, has all of another one.
func covers[T any](list, other []T, has func(T) bool) bool {
	return len(list) == 0 || len(other) > 0 &&
		!slices.ContainsFunc(other, func(x T) bool { return !has(x) })
}

// takesPath reports whether the rule matches a path, as far as that decides.
func (r *Rule) takesPath(asked string, of format.Format) bool {
	return (len(r.Formats) == 0 || slices.Contains(r.Formats, of)) &&
		(len(r.Paths) == 0 || slices.ContainsFunc(r.Paths, func(beginning string) bool {
			return strings.HasPrefix(asked, beginning)
		}))
}

// takesModel reports whether the rule matches a model.
func (r *Rule) takesModel(model string) bool {
	return len(r.Models) == 0 || slices.ContainsFunc(r.Models, func(pattern string) bool {
		ok, err := path.Match(pattern, model)
		return ok && err == nil || pattern == model
	})
}

// None means that no rule matches a request, Unknown that it depends on the model.
const (
	None    = -1
	Unknown = -2
)

// ByPath returns the index of the first rule that matches a path, as sent, of a kind; None, or
// Unknown if the model decides and the path names none.
func ByPath(rules []Rule, asked string, kind format.Kind) int {
	model, err := url.PathUnescape(format.PathModel(asked))
	if err == nil && model != "" {
		return ByModel(rules, asked, kind, model)
	}
	for i := range rules {
		switch r := &rules[i]; {
		case !r.takesPath(asked, kind.Format()):
		case len(r.Models) > 0:
			return Unknown
		default:
			return i
		}
	}
	return None
}

// ByModel returns the index of the first rule that matches a path and a model, "" if the request
// names none.
func ByModel(rules []Rule, asked string, kind format.Kind, model string) int {
	for i := range rules {
		if r := &rules[i]; r.takesPath(asked, kind.Format()) &&
			(model == "" || r.takesModel(model)) {
			return i
		}
	}
	return None
}
