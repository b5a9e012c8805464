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

// redirects reads redirections. text is the output of the program, nil if it is not known.
func (r *reader) redirects(list []*syntax.Redirect, certain Certainty, text *string) {
	last := lastOutput(list)
	for _, to := range list {
		appends, out := outputs[to.Op]
		if r.written[to] {
			continue
		}
		if !out {
			r.insideWord(to)
			continue
		}
		words := r.resolve(to.Word)
		if to.Op == syntax.DplOut && (len(words) != 1 || isNumber(words[0].text)) {
			continue
		}
		c := Change{Kind: Written, Certain: certain}
		if appends {
			c.Kind = Appended
		}
		if text != nil && isOutput(to) && len(list) == 1 {
			c.Text, c.Known = *text, true
		}
		if len(words) > 1 || to.Op == syntax.RdrInOut || appends && isOutput(to) && to != last {
			c.Certain, c.Known = Never, false // only the last of several outputs receives text
		}
		for _, w := range words {
			r.addChange(c, w.path())
		}
	}
}

// insideWord reads the commands in the words of a redirection.
func (r *reader) insideWord(to *syntax.Redirect) {
	if to.Word != nil {
		r.inside(to.Word)
	}
	if to.Hdoc != nil {
		r.inside(to.Hdoc)
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

// input returns the literal text that redirections give to a program as its input, and the other
// redirections. ok is false if there is no such text.
func (r *reader) input(list []*syntax.Redirect) (text string, rest []*syntax.Redirect, ok bool) {
	for _, from := range list {
		switch {
		case from.N != nil && from.N.Value != "0":
			rest = append(rest, from)
		case from.Op == syntax.Hdoc || from.Op == syntax.DashHdoc:
			text, ok = r.document(from)
		case from.Op == syntax.WordHdoc:
			words := r.resolve(from.Word)
			ok = len(words) == 1 && words[0].literal() && !words[0].variable &&
				!strings.HasPrefix(words[0].text, "~")
			text = words[0].text + "\n"
		default:
			rest = append(rest, from)
		}
	}
	return text, rest, ok
}

// document returns the text of a here-document, if it is literal.
func (r *reader) document(d *syntax.Redirect) (text string, ok bool) {
	if d.Op == syntax.DashHdoc {
		return "", false // the shell removes tabs
	}
	var b strings.Builder
	if d.Hdoc != nil {
		bare := d.Word.Lit() != "" // the delimiter is not quoted, so escapes are decoded
		for _, part := range d.Hdoc.Parts {
			lit, is := part.(*syntax.Lit)
			if !is || bare && strings.Contains(lit.Value, `\`) {
				return "", false
			}
			b.WriteString(lit.Value)
		}
	}
	return b.String(), true
}
