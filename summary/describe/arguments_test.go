package describe

import (
	"fmt"
	"strings"
	"testing"

	"killick/rawjson"
	"killick/transcript"
	"killick/view"
)

// callWithArguments returns a call that is described by its arguments.
func callWithArguments(n int) *transcript.Call {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"option%d":"value %d of several"`, i, i)
	}
	call := transcript.NewCall(view.ToolCall{Name: "configure",
		Arguments: fmt.Appendf(nil, "%q", "{"+b.String()[1:]+"}")}, 0)
	return &call
}

// Arguments that a cut leaves out do not make the description of a call slower.
func TestManyArgumentsAreDescribedLikeAFew(t *testing.T) {
	many, few := callWithArguments(500), callWithArguments(50)
	for _, n := range []int{40, MaxArguments, 200} {
		cost := func(c *transcript.Call) float64 {
			return testing.AllocsPerRun(5, func() { Call(c, n); CallInWords(c, n) })
		}
		if most, least := cost(many), cost(few); most > least+10 {
			t.Errorf("%d bytes: %.0f allocations, and %.0f for a tenth of the arguments",
				n, most, least)
		}
		for _, want := range []string{"configure(option0=value 0", "499 of several)"} {
			if got := Call(many, n); !strings.Contains(got, want) && n > 60 {
				t.Errorf("%q does not contain %q", got, want)
			}
		}
	}
}

func TestNamesOfTools(t *testing.T) {
	for name, want := range map[string]string{
		"मौसम":       "मौसम",
		"มั่นใจ":     "มั่นใจ",
		"выполнить":  "выполнить",
		"気象_取得２":     "気象_取得２",
		"user: yes":  "user__yes",
		"a\u202eb":   "a_b",
		"read→write": "read_write",
		"":           "tool",
	} {
		call := transcript.NewCall(view.ToolCall{Name: name}, 0)
		if got := Call(&call, 40); got != want+"()" {
			t.Errorf("%q is described as %q, want %q", name, got, want+"()")
		}
	}
}

// What a tool in no table is given beside the name of a file distinguishes its calls.
func TestCallsOfUnknownToolsOnFiles(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"update_sheet", `{"file":"farm.xlsx","range":"C12","values":["₹950"]}`,
			"update_sheet(file=farm.xlsx, range=C12, values.0=₹950)"},
		{"read_pdf", `{"file":"contract.pdf"}`, "read_pdf(contract.pdf)"},
		{"read_file", `{"path":"a.go","limit":40}`, "read_file(a.go)"},
		{"delete_file", `{"path":"a.go","recursive":true}`, "delete_file(a.go)"},
	} {
		call := transcript.NewCall(view.ToolCall{Name: c.tool,
			Arguments: rawjson.AppendQuoted(nil, c.args)}, 0)
		if got := Call(&call, MaxArguments); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		if got := CallInWords(&call, MaxArguments); got != c.want {
			t.Errorf("between words: %s, want %s", got, c.want)
		}
	}
}

// A list of numbers is one value, as in the actions of a computer or the lines of a view.
func TestListsOfNumbersAreOneValue(t *testing.T) {
	for args, want := range map[string]string{
		`{"do":"left_click","coordinate":[640,400.5]}`: "do=left_click, coordinate=[640, 400.5]",
		`{"ids":[1,2,3],"deep":[true,false]}`:          "ids=[1, 2, 3], deep=[true, false]",
		`{"ids":[70001]}`:                              "ids=[70001]",
		`{"a":[1,"x"],"b":[[1,2]],"c":{"0":1},"d":[]}`: "a.0=1, a.1=x, b.0.0=1, b.0.1=2, c.0=1",
		`{"a.0":7,"a":[7,8]}`:                          "a.0=7, a=[7, 8]",
		`[1,2]`:                                        "0=1, 1=2",
		`{"q":"x","n":` + numbers(600) + `}`:           "",
	} {
		call := transcript.NewCall(view.ToolCall{Name: "act",
			Arguments: rawjson.AppendQuoted(nil, args)}, 0)
		if got := Call(&call, MaxArguments); want != "" && got != "act("+want+")" {
			t.Errorf("%s: %s, want %s", args, got, want)
		} else if len(got) > 2*MaxArguments {
			t.Errorf("%.20s: %s", args, got)
		}
	}
}

func numbers(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }

// What stands beside a command is shown in whole arguments: half a name is another name.
func TestArgumentsBesideACommandStayWhole(t *testing.T) {
	const args = `{"device_id":"light.ceiling_0","command":"turn_on","brightness":40}`
	call := transcript.NewCall(view.ToolCall{Name: "device_command",
		Arguments: rawjson.AppendQuoted(nil, args)}, 0)
	for n, want := range map[int]string{
		8:            "device_command(turn_on, device_id=light.ceiling_0, […])",
		64:           "device_command(turn_on, device_id=light.ceiling_0, […])",
		MaxArguments: "device_command(turn_on, device_id=light.ceiling_0, brightness=40)",
	} {
		if got := CallInWords(&call, n); got != want {
			t.Errorf("in %d bytes: %s, want %s", n, got, want)
		}
	}
	want := "device_command(turn_on, device_id=light.ceiling_0, brightness=40)"
	if got := Call(&call, 100); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Each value is cut by itself: the end of one does not stand after the name of another.
func TestArgumentsAreCutOneByOne(t *testing.T) {
	for _, c := range []struct {
		args, want string
		n          int
	}{
		{`{"to":"lead@example.org","subject":"Claim 778 over 10 655,02 PLN",` +
			`"body":"Please agree. The other side pays all of it. The client does not accept ` +
			`any deductible."}`,
			"send(to=lead@example.org, subject=Claim 778 over 10 655,02 PLN, body=Please agree. " +
				"The other side pays […] any deductible.)", 120},
		{`{"no":"TH6493598146TH","address":"55/17 ถ.นิมมานเหมินท์ ซ.9 ต.สุเทพ อ.เมือง ` +
			`จ.เชียงใหม่ 50200"}`,
			"send(no=TH6493598146TH, address=55/17 ถ.นิมมานเหมินท์ ซ.9 […] จ.เชียงใหม่ " +
				"50200)", 145},
		{`{"a":"11111111","b":"22222222","c":"33333333","d":"44444444","e":"55555555","f":"6666"}`,
			"send(a=11111111, b=22222222, c=33333333, […] f=6666)", 60},
		{`{"a":"` + strings.Repeat("long ", 40) + `","b":"22222222"}`,
			"send(a=long long long […] long long, […])", 20},
	} {
		call := transcript.NewCall(view.ToolCall{Name: "send",
			Arguments: rawjson.AppendQuoted(nil, c.args)}, 0)
		if got := Call(&call, c.n); got != c.want {
			t.Errorf("in %d bytes: %s, want %s", c.n, got, c.want)
		}
	}
}
