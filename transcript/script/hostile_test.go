package script

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// nested is a text that is repeated around another one, up to the size of a whole program.
type nested struct{ before, inside, after string }

func (n nested) program(size int) string {
	const call = ";await tools.x({});"
	times := (size - len(call)) / (len(n.before) + len(n.after))
	return strings.Repeat(n.before, times) + n.inside + strings.Repeat(n.after, times) + call
}

// Programs made to be costly are read, or refused, in time linear in their size and within a
// bounded stack.
func TestHostilePrograms(t *testing.T) {
	programs := map[string]string{
		"names": "await tools.x({});" + many(8000, func(i int) string {
			return fmt.Sprintf("var v%d=v%d;", i, i+7)
		}),
		"texts that double": "const a0='0123456789';" + many(60, func(i int) string {
			return fmt.Sprintf("const a%d=a%d+a%d;", i+1, i, i)
		}) + "await tools.x(a60)",
		"a text in many calls": "const a='" + strings.Repeat("x", 100_000) + "';" +
			strings.Repeat("await tools.x({a});", 1000),
		"objects in objects": "const a={a:1,b:2};" + many(40, func(i int) string {
			return fmt.Sprintf("const %c%d=[a];", 'b', i)
		}) + "await tools.x({})",
		"calls":    strings.Repeat("await tools.x({});", 10_000),
		"too long": "await tools.x({});" + strings.Repeat(" ", maxSource),
		"loops": "const rs=await Promise.all([" + strings.Repeat("tools.x({}),", maxCalls) +
			"]);" + strings.Repeat("for(const r of rs)text(r);", 3000),
	}
	for name, n := range map[string]nested{
		"brackets": {"(", "1", ")"}, "arrays": {"[", "", "]"}, "objects": {"{a:", "1", "}"},
		"braces": {"{", "", "}"}, "templates": {"`${", "1", "}`"}, "indexes": {"a[", "1", "]"},
		"calls in calls": {"tools.x(", "1", ")"}, "functions": {"(()=>{", "", "})"},
		"awaits": {"await ", "1", ""}, "operators": {"!", "1", ""}, "sums": {"'a'+", "'a'", ""},
		"conditions": {"a?a:", "a", ""}, "ifs": {"if(a)", ";", ""},
		"tries":            {"try{", "", "}finally{}"},
		"tries that catch": {"try{", "", "}catch{}"}, "arrows": {"a=>", "1", ""},
		"patterns": {"[", "a", "]"}, "members": {"a.b", "", ""},
		"classes": {"class A{m(){", "", "}}"},
		"labels":  {"a:", ";", ""}, "commas": {"a,", "a", ""}, "assignments": {"a=", "1", ""},
		"comments": {"/*", "", "*/"}, "quotes": {"'", "", "'"}, "escapes": {`"\u0041`, "", `"`},
		"null bytes": {"\x00", "", ""}, "no UTF-8": {"'\xff'", "", ""}, "regexps": {"/a/", "", ""},
	} {
		programs[name] = n.program(maxSource)
		programs["short "+name] = n.program(2000)
	}
	for name, around := range map[string]struct {
		nested
		depth int
		item  string
	}{
		"blocks":    {nested{"{", "", "}"}, 11, "v%d;"},
		"variables": {nested{"{", "", "}"}, 11, "var v%d;"},
		"functions": {nested{"{", "", "}"}, 11, "function v%d(){}"},
		"arguments": {nested{"(", "z", ")"}, 22, "v%d,"},
		"methods":   {nested{"class A{static{", "", "}}"}, 5, "v%d;"},
		"bodies":    {nested{"(function(){", "", "})"}, 10, "v%d;"},
	} {
		inside := many((maxSource-1000)/(len(around.item)+4), func(i int) string {
			return fmt.Sprintf(around.item, i)
		})
		programs["names in "+name] = "await tools.x({});" +
			strings.Repeat(around.before, around.depth) + inside + around.inside +
			strings.Repeat(around.after, around.depth)
	}
	const most = 3 * time.Second // at most 60 ms, and much slower machines
	for name, source := range programs {
		began := time.Now()
		p, ok := Read(source)
		if took := time.Since(began); took > most {
			t.Errorf("%s: read in %v, want less than %v", name, took, most)
		}
		size := 0
		for _, c := range p.Calls {
			size += len(c.Name) + len(c.Arguments)
		}
		if len(p.Calls) > maxCalls || size > maxStatic {
			t.Errorf("%s: %d calls of %d bytes, want at most %d and %d", name, len(p.Calls), size,
				maxCalls, maxStatic)
		}
		if strings.HasPrefix(name, "names") && !ok {
			t.Errorf("%s: not read; deeper than it should be", name)
		}
		if !ok && len(p.Calls) > 0 {
			t.Errorf("%s: not read, but with calls", name)
		}
	}
}

// One text in many elements or members is refused before it is copied into each of them.
func TestRepeatedTextsAreNotCopied(t *testing.T) {
	text := "const a='" + strings.Repeat("x", 30_000) + "';await tools.x("
	for name, program := range map[string]string{
		"elements": text + "[" + strings.Repeat("a,", 20_000) + "])",
		"members": text + "{" + many(8000, func(i int) string {
			return fmt.Sprintf("m%d:a,", i)
		}) + "})",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, ok := Read(program); ok {
			t.Errorf("%s: read, want it refused", name)
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 100 {
			t.Errorf("%s: %d MB for %d KB, want 100 at most", name, got, len(program)>>10)
		}
	}
}

func many(n int, piece func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(piece(i))
	}
	return b.String()
}

// FuzzRead checks that the result keeps to the limits and refers to existing calls, and that
// neither space nor a comment changes it.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`const r = await tools.exec_command({cmd: "ls", workdir: '/a'}); text(r.output);`,
		"const p = `*** Begin Patch\n*** End Patch`; text(await tools.apply_patch(p));",
		`const rs = await Promise.all([tools.a({}), tools.b([1, "x"])]);
for (const r of rs) text(r)`,
		`const [{output}, b] = await Promise.all([tools.a({}), tools.b({})]); text(output)`,
		`try { text(await tools.a("x")) } catch (e) { text(e) } finally { await tools.b({}) }`,
		`text((await tools["a"]({b: [null, true, 1.5], 'c-d': "\u{1f600}\x41"})).output)`,
		"await tools.a([`a`, 'b'].join(String.raw`\\n`) + 'c')",
		`if (a) { await tools.a({}) } else exit()`,
		`rs.forEach((r) => { text(r.a) }); import("a")`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, ok := Read(source)
		for _, print := range p.Prints {
			if print.Call < -1 || print.Call >= len(p.Calls) {
				t.Fatalf("a print of call %d of %d", print.Call, len(p.Calls))
			}
		}
		if len(p.Calls) > maxCalls || !ok && (p.Calls != nil || p.Prints != nil) {
			t.Fatalf("%d calls, read: %t", len(p.Calls), ok)
		}
		if len(source)+20 > maxSource {
			return
		}
		if got, want := shown("// a comment\n "+source), shown(source); ok && got != want {
			t.Fatalf("behind a comment\n%s\nwant\n%s", got, want)
		}
	})
}
