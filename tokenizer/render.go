package tokenizer

import (
	"bytes"

	"killick/rawjson"
	"killick/view/marks"
)

// Tool definitions reach the model as TypeScript types. The rendering follows
// the examples of openai/harmony (docs/format.md, "Function calling") and what
// hmarr's openai-chat-tokens found by trial for the hosted models. Other providers do not say how
// theirs do; tools that they run themselves are counted as the JSON that they are.

// maxDepth bounds how deep a schema is rendered, and a value of an unknown kind is read; deeper
// schemas are "any".
const maxDepth = 32

// renderTools renders an array of tools or of legacy functions.
func renderTools(defs rawjson.Value) []byte {
	dst := []byte("# Tools\n\n## functions\n\nnamespace functions {\n\n")
	for def := range defs.Elements() {
		if string(def.Get("defer_loading")) == "true" {
			continue // the model does not see it before it was searched for
		}
		function, parameters := definition(def)
		if function == nil {
			dst = append(append(dst, marks.Without(def)...), '\n')
			continue
		}
		dst = appendComment(dst, function.Get("description"), 0)
		dst = append(dst, "type "...)
		dst = function.Get("name").AppendText(dst)
		if hasProperties(parameters) {
			dst = append(dst, " = (_: "...)
			dst = appendType(dst, parameters, 0)
			dst = append(dst, ") => any;\n\n"...)
		} else {
			dst = append(dst, " = () => any;\n\n"...)
		}
		dst = grammarOf(function).AppendText(dst)
	}
	return append(dst, "} // namespace functions"...)
}

// definition returns what a tool is called and what its parameters are, in any of the shapes of the
// wire formats. Its function is nil for a tool that the provider runs.
func definition(def rawjson.Value) (function, parameters rawjson.Value) {
	for _, name := range []string{"function", "custom"} {
		if function = def.Get(name); function.Kind() == rawjson.Object {
			return function, function.Get("parameters")
		}
	}
	if parameters = def.Get("input_schema"); parameters.Kind() == rawjson.Object {
		return def, parameters
	}
	if function = def.Get("toolSpec"); function.Kind() == rawjson.Object { // of Converse
		return function, function.Get("inputSchema").Get("json")
	}
	if def.Get("cachePoint") != nil || def.Get("systemTool") != nil {
		return nil, nil
	}
	switch def.Get("type").Text() {
	case "", "function", "custom":
		return def, def.Get("parameters")
	}
	return nil, nil
}

// grammarOf returns the grammar that the input of a custom tool must follow, nil if there is none.
func grammarOf(function rawjson.Value) rawjson.Value {
	format := function.Get("format")
	if nested := format.Get("grammar"); nested.Kind() == rawjson.Object {
		format = nested
	}
	return format.Get("definition")
}

func hasProperties(schema rawjson.Value) bool {
	for range schema.Get("properties").Members() {
		return true
	}
	return false
}

// appendComment renders a description, a line each.
func appendComment(dst []byte, description rawjson.Value, depth int) []byte {
	if len(description.StringBody()) == 0 {
		return dst
	}
	for line := range bytes.Lines(description.AppendText(nil)) {
		dst = append(appendIndent(dst, depth), "// "...)
		dst = append(append(dst, bytes.TrimRight(line, "\r\n")...), '\n')
	}
	return dst
}

func appendType(dst []byte, schema rawjson.Value, depth int) []byte {
	if depth > maxDepth {
		return append(dst, "any"...)
	}
	if values := schema.Get("enum"); values.Kind() == rawjson.Array {
		return appendUnion(dst, values, func(dst []byte, v rawjson.Value) []byte {
			return append(dst, v...)
		})
	}
	if value := schema.Get("const"); value != nil {
		return append(dst, value...)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if variants := schema.Get(key); variants.Kind() == rawjson.Array {
			return appendUnion(dst, variants, func(dst []byte, v rawjson.Value) []byte {
				return appendType(dst, v, depth+1)
			})
		}
	}
	kind := schema.Get("type")
	if kind.Kind() == rawjson.Array { // "type": ["string", "null"]
		return appendTypes(dst, kind, schema, depth)
	}
	return appendNamed(dst, kind.Text(), schema, depth)
}

// appendTypes renders a schema of several types. What one of them has inside is rendered once,
// however often the type is listed: else each level would multiply what is below it.
func appendTypes(dst []byte, types, schema rawjson.Value, depth int) []byte {
	rendered := map[string]bool{"": true}
	return appendUnion(dst, types, func(dst []byte, v rawjson.Value) []byte {
		kind := v.Text()
		if rendered[kind] {
			return append(dst, "any"...)
		}
		if kind == "object" || kind == "array" {
			rendered[kind] = true
		}
		return appendNamed(dst, kind, schema, depth)
	})
}

func appendUnion(dst []byte, values rawjson.Value, each func([]byte, rawjson.Value) []byte) []byte {
	first := true
	for v := range values.Elements() {
		if !first {
			dst = append(dst, " | "...)
		}
		first = false
		dst = each(dst, v)
	}
	if first {
		return append(dst, "any"...)
	}
	return dst
}

// appendNamed renders a schema of one type.
func appendNamed(dst []byte, kind string, schema rawjson.Value, depth int) []byte {
	switch kind {
	case "object":
		return appendObject(dst, schema, depth)
	case "array":
		if items := schema.Get("items"); items.Kind() == rawjson.Object {
			return append(appendType(dst, items, depth+1), "[]"...)
		}
		return append(dst, "any[]"...)
	case "integer":
		return append(dst, "number"...)
	case "string", "number", "boolean", "null":
		return append(dst, kind...)
	case "":
		if hasProperties(schema) {
			return appendObject(dst, schema, depth)
		}
	}
	return append(dst, "any"...)
}

func appendObject(dst []byte, schema rawjson.Value, depth int) []byte {
	if !hasProperties(schema) {
		return append(dst, "object"...)
	}
	required := make(map[string]bool)
	for name := range schema.Get("required").Elements() {
		required[name.Text()] = true
	}
	dst = append(dst, "{\n"...)
	for key, property := range schema.Get("properties").Members() {
		dst = appendComment(dst, property.Get("description"), depth)
		dst = key.AppendText(appendIndent(dst, depth))
		if !required[key.Text()] {
			dst = append(dst, '?')
		}
		dst = append(dst, ": "...)
		dst = append(appendType(dst, property, depth+1), ',')
		if value := property.Get("default"); value != nil {
			dst = append(dst, " // default: "...)
			if property.Get("enum") != nil && value.Kind() == rawjson.String {
				dst = value.AppendText(dst)
			} else {
				dst = append(dst, value...)
			}
		}
		dst = append(dst, '\n')
	}
	return append(appendIndent(dst, depth), '}')
}

func appendIndent(dst []byte, depth int) []byte {
	for range depth {
		dst = append(dst, "    "...)
	}
	return dst
}
