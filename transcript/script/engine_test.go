package script

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// pieces are statements with places for a tool's call (TOOL), a text (TEXT), a name that no other
// statement has (NAME) and another statement (STATEMENT). Most are typical of models; the others
// are meant to mislead a reader.
var pieces = []string{
	`const NAME = await TOOL; text(NAME.output);`, `const NAME = await TOOL; text(NAME);`,
	`text(await TOOL);`, `text((await TOOL).output);`, `await TOOL;`, `text(TEXT);`,
	`const NAME = await Promise.all([TOOL, TOOL]); for (const r of NAME) text(r.output);`,
	`const NAME = await Promise.all([TOOL, TOOL]);
for (const r of NAME) { text(r.exit_code); text(JSON.stringify(r)); }`,
	`const NAME = await Promise.all([TOOL, TOOL]); NAME.forEach(r => text(r.output));`,
	`const NAME = await Promise.all([TOOL, TOOL]); text(NAME[1].output); text(NAME[0]["output"]);`,
	`const [NAMEa, NAMEb] = await Promise.all([TOOL, TOOL]); text(NAMEb.output); text(NAMEa);`,
	`const {output: NAMEo, exit_code} = await TOOL; text(NAMEo); text(exit_code);`,
	`const NAME = await Promise.allSettled([TOOL, TOOL]); text(NAME);`,
	`const NAME = await TOOL; text(JSON.stringify(NAME, null, 2)); text(NAME?.output);`,
	`let NAME = TEXT; NAME += "m"; await tools.exec({cmd: NAME});`,
	`if (n > 7) { STATEMENT }`, `for (const f of ["p", "q"]) { await tools.exec({cmd: f}); }`,
	`try { STATEMENT STATEMENT } catch (e) { text(String(e)); }`,
	`try { STATEMENT } finally { STATEMENT }`, `{ STATEMENT }`,
	`function NAME() { return TOOL; } await NAME();`, `async function NAME() { await TOOL; }`,
	`const NAME = async (c) => await tools.exec({cmd: c}); await NAME(k);`,
	`const NAME = ["a"]; NAME.push(k); await tools.patch(NAME.join("\n"));`,
	`const NAME = ["a", k]; await tools.patch(NAME.join("\n"));`,
	`const NAME = {cmd: "ls"}; NAME.cmd = l; await tools.exec(NAME);`,
	`const NAME = {cmd: "ls"}; (() => { NAME.z = 1; })(); await tools.exec(NAME);`,
	`const NAME = await TOOL; NAME.output = k; text(NAME.output);`,
	`const NAME = await Promise.all([TOOL, TOOL]); NAME.reverse(); for (const r of NAME) text(r);`,
	`const NAME = await Promise.all([TOOL, "x", TOOL]); for (const r of NAME) text(r);`,
	`true && await TOOL; false || text(await TOOL); null ?? await TOOL;`,
	`const NAME = n > 7 ? await TOOL : await TOOL;`, `await TOOL, await TOOL;`,
	"text(`v ${(await TOOL).output}`);", `TOOL;`, `const NAME = TOOL; text(await NAME);`,
	`null.boom;`, `throw 1;`, `{ const k = "inner"; await tools.exec({cmd: k}); }`,
	`await (async (k) => { await tools.exec({cmd: k}); })("par");`, `o.cmd = "changed";`,
	`while (true) { await TOOL; break; }`, `L: { if (n) break L; await TOOL; }`,
	`switch (1) { case 1: await TOOL; break; default: await TOOL; }`, `await tools?.exec(TEXT);`,
	`text("a", "b"); text();`, `for await (const r of [TOOL]) text(r.output);`,
	`text([await TOOL, 1]);`, `text((await TOOL).output.slice(1));`,
}

var (
	tools     = []string{"tools.exec(ARGUMENT)", "tools.patch(ARGUMENT)", "tools.fail(ARGUMENT)"}
	arguments = []string{"{cmd: TEXT}", "{cmd: TEXT, n: 3}", "{cmd: TEXT, k}", "TEXT", "o", "p",
		`{"a-b": [TEXT, 2.5, null, true], ["c"]: {}}`, "{n: -1, ...p}", "[0x10, 1e3]", ""}
	texts = []string{`"a"`, "'b'", "`c`", `"x\n\ty"`, `'\u0041\x42'`, "`1\n2 \\`q\\` \\${z}`",
		"String.raw`r\\n\\\\`", `"\u{1f600}"`, "`d${k}e`", "k", `l + "z"`, `["m", k].join("\n")`,
		`"\0"`, "n", "`${n}`", "(l)", "v", `"é"`}
)

// program returns a random program.
func program(rnd *rand.Rand) string {
	pick := func(from []string) string { return from[rnd.IntN(len(from))] }
	names := 0
	var fill func(s string, depth int) string
	fill = func(s string, depth int) string {
		names++
		s = strings.ReplaceAll(s, "NAME", "x"+strconv.Itoa(names))
		for _, place := range []struct {
			name string
			from []string
		}{{"TOOL", tools}, {"ARGUMENT", arguments}, {"TEXT", texts}} {
			for strings.Contains(s, place.name) {
				s = strings.Replace(s, place.name, pick(place.from), 1)
			}
		}
		for strings.Contains(s, "STATEMENT") {
			inner := ""
			if depth < 2 {
				inner = fill(pick(pieces), depth+1)
			}
			s = strings.Replace(s, "STATEMENT", inner, 1)
		}
		return s
	}
	s := "const k = \"K\", l = 'L' + k, n = 7, p = {p: k}, o = {cmd: \"o\"}; let v = \"V\";\n"
	for range 1 + rnd.IntN(4) {
		s += fill(pick(pieces), 0) + "\n"
	}
	return s
}

// ran is what an engine reports about a run of a program.
type ran struct {
	Calls              []struct{ Name, Arguments string }
	Texts, Values      []string
	Failed, CallFailed bool
}

// Read reports the same calls and prints that an engine makes when it runs a program.
// KILLICK_PROGRAMS is the number of programs.
func TestAgainstAnEngine(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run programs")
	}
	programs := 1000
	if n, err := strconv.Atoi(os.Getenv("KILLICK_PROGRAMS")); err == nil {
		programs = n
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var sources []string
	var input bytes.Buffer
	for len(sources) < programs {
		sources = append(sources, program(rnd))
		line, _ := json.Marshal(sources[len(sources)-1])
		input.Write(append(line, '\n'))
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/run.mjs")
	cmd.Stdin = &input
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("running programs: %v", err)
	}
	lines := bytes.Split(bytes.TrimSpace(output), []byte("\n"))
	if len(lines) != len(sources) {
		t.Fatalf("%d programs were run, want %d", len(lines), len(sources))
	}
	claimed, printed := 0, 0
	for i, line := range lines {
		var did ran
		if err := json.Unmarshal(line, &did); err != nil {
			t.Fatal(err)
		}
		p, ok := Read(sources[i])
		if !ok {
			continue
		}
		if fault := p.contradiction(&did); fault != "" {
			t.Errorf("%s:\n%s\nread as\n%s\nbut it did\n%s", fault, sources[i], shown(sources[i]),
				line)
		}
		if !did.Failed {
			claimed += len(p.Calls)
			printed += len(p.Prints)
		}
	}
	if claimed < programs/8 || printed < programs/8 {
		t.Errorf("only %d calls and %d texts were read of %d programs", claimed, printed, programs)
	}
}

// contradiction describes a difference between a program as it was read and its run, "" if there is
// none.
func (p *Program) contradiction(did *ran) string {
	if did.Failed {
		if p.Plain && p.Complete && len(p.Calls) == 1 && !did.CallFailed {
			return "something else than its one call failed"
		}
		return ""
	}
	at, next := make([]int, len(p.Calls)), 0
	for i, c := range p.Calls {
		for next < len(did.Calls) && (did.Calls[next].Name != c.Name ||
			did.Calls[next].Arguments != c.Arguments) {
			next++
		}
		if next == len(did.Calls) {
			return "a call was not made"
		}
		at[i], next = next, next+1
	}
	if !p.Complete {
		return ""
	}
	if len(did.Calls) != len(p.Calls) {
		return "other calls were made"
	}
	if !p.Printed {
		return ""
	}
	if len(did.Texts) != len(p.Prints) {
		return "other texts were printed"
	}
	for i, print := range p.Prints {
		if print.Call >= 0 && !print.is(did.Texts[i], did.Values[at[print.Call]]) {
			return "a text is not the one that was printed"
		}
	}
	return ""
}

// is reports whether a text is what printing a value prints.
func (p *Print) is(printed, value string) bool {
	var members map[string]json.RawMessage
	var text string
	var compact bytes.Buffer
	switch {
	case p.JSON && json.Compact(&compact, []byte(printed)) == nil:
		printed = compact.String()
	case p.Member != "" && json.Unmarshal([]byte(value), &members) == nil:
		if value = string(members[p.Member]); json.Unmarshal([]byte(value), &text) == nil {
			value = text
		}
	}
	return printed == value
}
