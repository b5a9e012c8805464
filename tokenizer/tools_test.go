package tokenizer

import (
	"strings"
	"testing"

	"killick/rawjson"
)

// TestRendering holds the rendering of the example in openai/harmony's
// description of the format.
func TestRendering(t *testing.T) {
	const defs = `[
	{"type":"function","function":{"name":"get_location","description":"Gets the location of ` +
		`the user.","parameters":{"type":"object","properties":{}}}},
	{"type":"function","function":{"name":"get_current_weather","description":"Gets the current ` +
		`weather in the provided location.","parameters":{"type":"object","properties":{
		"location":{"type":"string","description":"The city and state, e.g. San Francisco, CA"},
		"format":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"}},` +
		`"required":["location"]}}},
	{"type":"function","function":{"name":"get_multiple_weathers","description":"Gets the ` +
		`current weather in the provided list of locations.","parameters":{"type":"object",` +
		`"properties":{
		"locations":{"type":"array","items":{"type":"string"},"description":"List of city and ` +
		`state, e.g. [\"San Francisco, CA\", \"New York, NY\"]"},
		"format":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"}},` +
		`"required":["locations"]}}}]`
	const want = `# Tools

## functions

namespace functions {

// Gets the location of the user.
type get_location = () => any;

// Gets the current weather in the provided location.
type get_current_weather = (_: {
// The city and state, e.g. San Francisco, CA
location: string,
format?: "celsius" | "fahrenheit", // default: celsius
}) => any;

// Gets the current weather in the provided list of locations.
type get_multiple_weathers = (_: {
// List of city and state, e.g. ["San Francisco, CA", "New York, NY"]
locations: string[],
format?: "celsius" | "fahrenheit", // default: celsius
}) => any;

} // namespace functions`
	if got := string(renderTools(rawjson.Value(defs))); got != want {
		t.Errorf("rendered as\n%s\nwant\n%s", got, want)
	}
}

func TestRenderingOfTypes(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"integer"}`:         "number",
		`{"type":"boolean"}`:         "boolean",
		`{"type":"null"}`:            "null",
		`{"type":"object"}`:          "object",
		`{"type":"array"}`:           "any[]",
		`{}`:                         "any",
		`true`:                       "any",
		`{"type":["string","null"]}`: "string | null",
		`{"enum":[1,2,"x"]}`:         `1 | 2 | "x"`,
		`{"const":"only"}`:           `"only"`,
		`{"anyOf":[{"type":"string"},{"type":"array",` +
			`"items":{"type":"number"}}]}`: "string | number[]",
		`{"properties":{"a":{"type":"string"}}}`: "{\na?: string,\n}",
		`{"type":"object","properties":{"a":{"type":"object","description":"two\nlines",` +
			`"properties":{"b":{"type":"number"}},"required":["b"]}},` +
			`"required":["a"]}`: "{\n// two\n// lines\na: {\n    b: number,\n    },\n}",
	} {
		if got := string(appendType(nil, rawjson.Value(schema), 0)); got != want {
			t.Errorf("%s is rendered as %q, want %q", schema, got, want)
		}
	}
}

// TestDeepSchema: a schema nested without end is rendered to a bounded depth.
func TestDeepSchema(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 3000) + `{}` + strings.Repeat(`}`, 3000)
	if got := string(appendType(nil, rawjson.Value(deep), 0)); !strings.HasPrefix(got,
		"any[][]") || len(got) > 3*maxDepth {
		t.Errorf("rendered as %q", got)
	}
}

// TestRepeatedTypes: a schema takes no more than its own size, however often it lists a type.
func TestRepeatedTypes(t *testing.T) {
	for _, types := range []string{`["object","object"]`, `["object",""]`, `["object",1,{}]`,
		`["object","object","array","array"]`} {
		schema := `{"type":"string"}`
		for range 10 {
			schema = `{"type":` + types + `,"properties":{"a":` + schema + `},"items":{}}`
		}
		if got := appendType(nil, rawjson.Value(schema), 0); len(got) > 10*len(schema) {
			t.Errorf("%s: %d bytes are rendered as %d", types, len(schema), len(got))
		}
	}
}

func TestOverhead(t *testing.T) {
	m := New(Options{}).For("gpt-4o")
	base := m.Overhead(parse(t, `{"messages":[]}`))
	if base != 3 {
		t.Errorf("nothing but the reply: %d tokens, want 3", base)
	}
	tools := m.Text(string(renderTools(rawjson.Value(toolsOfTests))))
	for _, test := range []struct {
		name, body string
		want       int
	}{
		{"tools in a message of their " +
			"own", `{"messages":[],"tools":` + toolsOfTests + `}`, base + tools + 3},
		{"tools in the system message", `{"messages":[{"role":"system","content":"x"}],` +
			`"tools":` + toolsOfTests + `}`, base + tools},
		{"an empty list", `{"messages":[{"role":"developer","content":"x"}],"tools":null}`, base},
		{"no tool may be called", `{"messages":[],"tool_choice":"none"}`, base + 1},
		{"any may", `{"messages":[],"tool_choice":"auto"}`, base},
		{"one must", `{"messages":[],"tool_choice":{"type":"function",` +
			`"function":{"name":"weather"}}}`, base + 5},
		{"a function of old must", `{"messages":[],"function_call":{"name":"weather"}}`, base + 5},
		{"an object is the " +
			"reply", `{"messages":[],"response_format":{"type":"json_object"}}`, base},
		{"a schema is", `{"messages":[],"response_format":{"type":"json_schema",` +
			`"json_schema":{"name":"plan","schema":{"type":"object"}}}}`,
			base + m.Text("# Response Formats\n\n## plan\n\n{\"type\":\"object\"}")},
	} {
		if got := m.Overhead(parse(t, test.body)); got != test.want {
			t.Errorf("%s: %d tokens, want %d", test.name, got, test.want)
		}
	}
}
