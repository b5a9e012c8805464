package shell

import "mvdan.cc/sh/v3/syntax"

// interpreters run programs of other languages, which their arguments or their input hold.
var interpreters = set("python python3 node deno bun ruby perl php lua Rscript pwsh powershell " +
	"powershell.exe cmd cmd.exe")

// inline notes the arguments of an interpreter that can be a program.
func inline(p *run) {
	for _, w := range p.args {
		if w.ok && w.quoted {
			p.inline = append(p.inline, w.text)
		}
	}
	if edits := editors[p.name]; edits != nil {
		edit(p)
	}
}

// inputs notes the here-documents that an interpreter gets.
func (r *reader) inputs(s *syntax.Stmt) {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || !interpreters[resolve(c.Args[0]).text] {
		return
	}
	for _, to := range s.Redirs {
		if to.Hdoc == nil {
			continue
		}
		for _, part := range to.Hdoc.Parts {
			if text, ok := part.(*syntax.Lit); ok {
				r.inline = append(r.inline, text.Value)
			}
		}
	}
}
