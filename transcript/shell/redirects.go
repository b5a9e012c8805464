package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// outputs are the redirections into files. The value is true if they append.
var outputs = map[syntax.RedirOperator]bool{
	syntax.RdrOut: false, syntax.RdrClob: false, syntax.RdrAll: false, syntax.RdrInOut: false,
	syntax.DplOut: false, syntax.RdrAllClob: false,
	syntax.AppOut: true, syntax.AppClob: true, syntax.AppAll: true, syntax.AppAllClob: true,
}

// redirects reads redirections.
func (r *reader) redirects(list []*syntax.Redirect, certain Certainty) {
	last := lastOutput(list)
	for _, to := range list {
		appends, out := outputs[to.Op]
		if !out {
			continue
		}
		w, kind, made := resolve(to.Word), Written, certain
		if to.Op == syntax.DplOut && (!w.ok || isNumber(w.text)) {
			continue
		}
		if appends {
			kind = Appended
		}
		if to.Op == syntax.RdrInOut || appends && isOutput(to) && to != last {
			made = Never // only the last of several outputs receives text
		}
		r.add(kind, w, made)
	}
}

// lastOutput returns the last redirection of the standard output into a file, nil if there is none.
func lastOutput(list []*syntax.Redirect) (last *syntax.Redirect) {
	for _, to := range list {
		if isOutput(to) {
			last = to
		}
	}
	return last
}

// isOutput reports whether a redirection is of the standard output into a file.
func isOutput(to *syntax.Redirect) bool {
	_, out := outputs[to.Op]
	return out && (to.N == nil || to.N.Value == "1")
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789-") == "" }
