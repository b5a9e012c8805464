package script

import (
	"fmt"
	"strings"
	"testing"
)

// shown returns a description of a program, one line for each call.
func shown(source string) string {
	p, ok := Read(source)
	if !ok {
		return "not read"
	}
	var b strings.Builder
	for _, c := range p.Calls {
		fmt.Fprintf(&b, "%s(%s)\n", c.Name, c.Arguments)
	}
	if !p.Complete {
		b.WriteString("and others\n")
	}
	if p.Plain {
		b.WriteString("plain\n")
	}
	if !p.Printed {
		return b.String() + "prints ?"
	}
	b.WriteString("prints")
	for _, print := range p.Prints {
		b.WriteByte(' ')
		if print.Call < 0 {
			b.WriteByte('-')
			continue
		}
		fmt.Fprint(&b, print.Call)
		if print.Member != "" {
			b.WriteString("." + print.Member)
		}
		if print.JSON {
			b.WriteString(" JSON")
		}
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"a command", `const r = await tools.exec_command({
  cmd: "go test ./...",
  workdir: "/app",
  yield_time_ms: 10000
});
text(r.output);
`, `exec_command({"cmd":"go test ./...","workdir":"/app","yield_time_ms":10000})
plain
prints 0.output`},
		{"a pragma", "// @exec: {\"yield_time_ms\": 1000}\ntext(await tools.a({}))",
			"a({})\nplain\nprints 0"},
		{"a patch", `text(await tools.apply_patch("*** Begin Patch\n*** End Patch\n"));`,
			"apply_patch(*** Begin Patch\n*** End Patch\n)\nplain\nprints 0"},
		{"a patch in a template", "const p = `*** Begin Patch\n+\\`a\\` \\${b} \\\\n\n" +
			"*** End Patch`;\nconst r = await tools.apply_patch(p); text(r)",
			"apply_patch(*** Begin Patch\n+`a` ${b} \\n\n*** End Patch)\nplain\nprints 0"},
		{"a raw template", "await tools.apply_patch(String.raw`+a`)", "and others\nprints"},
		{"joined lines", `await tools.apply_patch(["a", 'b'].join("\n"));`, "and others\nprints"},
		{"a sum", `await tools.apply_patch("a" + 'b');`, "and others\nprints"},
		{"a template with a value", "await tools.apply_patch(`a${'b'}`)", "and others\nprints"},
		{"what is nested as models nest it", `const run = async (cmd) => {
  for (const n of [1, 2]) { try { if (n) { text(cmd); } } catch (e) { if (e) { text("x"); } } }
};
await tools.x({a: [{b: [{c: ["d"]}]}]});
text(JSON.stringify([{a: {b: [(await tools.y({})).z]}}]));`,
			"x({\"a\":[{\"b\":[{\"c\":[\"d\"]}]}]})\ny({})\nprints ?"},
		{"constants", "const dir = '/a', file = `${dir}/b.go`, cmd = `cat \\`b\\``;\n" +
			`await tools.exec_command({cmd, workdir: dir, tty: false, n: null})`,
			`exec_command({"cmd":"cat ` + "`b`" + `","workdir":"/a","tty":false,"n":null})` +
				"\nprints"},
		{"a constant object", `const o = {cmd: "ls"}; await tools.exec_command(o)`,
			"and others\nprints"},
		{"a variable", `let cmd = "ls"; await tools.exec_command({cmd})`, "and others\nprints"},
		{"several at once", `const results = await Promise.all([
  tools.exec_command({cmd: "a"}),
  tools.exec_command({cmd: "b"}),
]);
for (const r of results) text(r.output);`, `exec_command({"cmd":"a"})
exec_command({"cmd":"b"})
plain
prints 0.output 1.output`},
		{"several by a pattern", `const [a, b] = await Promise.all([tools.x({}), tools.y({})]);
text(b.output); text(JSON.stringify(a, null, 2));`, "x({})\ny({})\nprints - -"},
		{"several by index", `const rs = await Promise.all([tools.x({}), tools.y({})]);
text(rs[1]["output"]); for (const r of rs) text(JSON.stringify(r));`,
			"x({})\ny({})\nprints - 0 JSON 1 JSON"},
		{"several in a function", `const rs = await Promise.all([tools.x({}), tools.y({})]);
rs.forEach(r => text(r.output));`, "x({})\ny({})\nprints ?"},
		{"the order of results that were turned", `const rs = await Promise.all([tools.x({}),
tools.y({})]); rs.reverse(); for (const r of rs) text(r)`, "x({})\ny({})\nprints ?"},
		{"a member that was changed", `const r = await tools.x({}); r.output = "a"; text(r.output)`,
			"x({})\nprints ?"},
		{"a pattern of members", `const {output, exit_code: code} = await tools.x({});
text(output); text(code);`, "x({})\nprints - -"},
		{"one after the other", `const a = await tools.x({n: 1});
text(a.output);
text("---");
const b = await tools.y({n: 2.5});
text((await tools.z({})).output);
text(b.output.trim());`, `x({"n":1})
y({"n":2.5})
z({})
prints 0.output - 2.output -`},
		{"settled", `const rs = await Promise.allSettled([tools.x({}), tools.y({})]); text(rs)`,
			"and others\nprints -"},
		{"caught", `try { text(await tools.x({})); await tools.y({}) } catch (e) { text(e) }`,
			"and others\nprints ?"},
		{"finally", `try { await tools.x({}); } finally { await tools.y({}); }`,
			"and others\nprints"},
		{"what fails before a call is caught", `try { null.a; await tools.x({}) } catch {}`,
			"and others\nprints"},
		{"a condition", `const r = await tools.x({}); if (r.exit_code) { await tools.y({}); }`,
			"x({})\nand others\nprints"},
		{"an operator", `const r = await tools.x({});
r.a && await tools.y({}); r.b ? await tools.z({}) : 0`,
			"x({})\nand others\nprints"},
		{"a loop", `for (const f of ["a", "b"]) text(await tools.x({f}))`, "and others\nprints ?"},
		{"a function", `const run = (cmd) => tools.exec_command({cmd}); text(await run("ls"))`,
			"and others\nprints -"},
		{"a mapped list", `await Promise.all(["a"].map(cmd => tools.x({cmd})))`,
			"and others\nprints"},
		{"not waited for", `tools.x({}); text("end")`, "and others\nprints -"},
		{"no arguments", `await tools.x()`, "x({})\nplain\nprints"},
		{"two arguments", `await tools.x({}, {})`, "and others\nplain\nprints"},
		{"a name in quotes", `await tools["mcp__a__b"]({})`, "not read"},
		{"a name that is computed", `await tools["a" + "b"]({})`, "not read"},
		{"arguments that are computed", `await tools.x({a: 1 + 1}); await tools.y({...z})`,
			"and others\nprints"},
		{"negative and hexadecimal numbers", `await tools.x({a: -1}); await tools.y({a: 0x10})`,
			"and others\nprints"},
		{"other output", `text(await tools.x({})); image("data:");`, "x({})\nprints ?"},
		{"an end in the middle", `await tools.x({}); exit(); await tools.y({})`, "not read"},
		{"another name for the tools", `const t = tools; await t.x({})`, "not read"},
		{"tools that are changed", `tools.x = 1; await tools.x({})`, "not read"},
		{"tools of its own", `const tools = {x() {}}; await tools.x({})`, "not read"},
		{"tools of a parameter", `((tools) => tools.x({}))({})`, "not read"},
		{"an escaped name", `\u0065xit(); await tools.x({})`, "not read"},
		{"no call", `text("tools")`, "not read"},
		{"no JavaScript", `*** Begin Patch of tools.x(`, "not read"},
		{"a return", `await tools.x({}); return 1`, "not read"},
		{"an import", `import a from "b"; await tools.x({})`, "not read"},
		{"an import by call", `await import("b"); await tools.x({})`, "not read"},
		{"a prototype", `await tools.x({__proto__: {a: 1}})`, "and others\nplain\nprints"},
		{"half a pair", `await tools.x({a: "\ud800"}); await tools.x({a: "\ud83d\ude00"})`,
			"and others\nplain\nprints"},
		{"escapes", `await tools.x("\n\t\"\'\\\$"); await tools.x("\0")`,
			"x(\n\t\"'\\$)\nand others\nplain\nprints"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := shown(test.source); got != test.want {
				t.Errorf("%s\ngot\n%s\nwant\n%s", test.source, got, test.want)
			}
		})
	}
}

// What a program prints takes memory, however short it is.
func TestBytesOfPrints(t *testing.T) {
	const prints = 1000
	p, ok := Read("await tools.x({});" + strings.Repeat(`text("a");`, prints))
	if got := p.Bytes(); !ok || len(p.Prints) != prints || got < 30*prints {
		t.Errorf("%d prints take %d bytes", len(p.Prints), got)
	}
}
