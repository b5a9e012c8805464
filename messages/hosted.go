package messages

import (
	"strings"

	"killick/rawjson"
	"killick/view"
)

// HostedCalls implements [view.Format].
func (format) HostedCalls(m *view.Message) []view.HostedCall {
	var list view.HostedList
	for raw := range blocks(m) {
		switch kindOf(raw.Get("type")) {
		case hosted:
			list.Add(hostedCall(raw))
		case hostedEnd:
			of := raw.GetEach("tool_use_id", "content", "is_error")
			result := hostedResult(of[1])
			result.Failed = result.Failed || string(of[2]) == "true"
			list.Answer(of[0].Text(), result)
		}
	}
	return list.Calls
}

// hostedCall reads a server_tool_use or an mcp_tool_use, whose tool is named with its server.
func hostedCall(raw rawjson.Value) view.HostedCall {
	of := raw.GetEach("id", "name", "input", "server_name")
	c := view.HostedCall{ID: of[0].Text(), Name: of[1].Text(), Arguments: of[2]}
	if server := of[3].Text(); server != "" {
		c.Name = server + "." + c.Name
	} else {
		c.Runs = c.Name == "code_execution" || c.Name == "bash_code_execution"
	}
	return c
}

// hostedResult reads the content of a result. Source: anthropic-sdk-go v1.84.0, the types of the
// blocks that kinds lists as hostedEnd.
func hostedResult(content rawjson.Value) view.HostedResult {
	r := view.HostedResult{Exit: -1}
	if code, ok := content.Get("return_code").Int(); ok {
		r.Exit, r.Failed = code, code != 0
	}
	r.Failed = r.Failed || content.Get("error_code") != nil
	for raw := range content.Elements() {
		if raw.Get("type").Is("web_search_result") {
			r.Sources = view.AppendSource(r.Sources, raw.Get("title"), raw.Get("url"))
		}
	}
	if content.Get("type").Is("web_fetch_result") {
		page := content.Get("content")
		r.Sources = view.AppendSource(nil, page.Get("title"), content.Get("url"))
		content = page.Without("title")
	}
	var b strings.Builder
	appendHosted(&b, content)
	r.Text = strings.TrimSuffix(b.String(), "\n")
	return r
}

// appendHosted appends the texts in a content, in order, each on lines of its own. What is
// encrypted, encoded or says how to show the rest is left out.
func appendHosted(b *strings.Builder, content rawjson.Value) {
	switch content.Kind() {
	case rawjson.String:
		if text := content.Text(); text != "" {
			b.WriteString(text + "\n")
		}
	case rawjson.Array:
		for raw := range content.Elements() {
			appendHosted(b, raw)
		}
	case rawjson.Object:
		if content.Get("type").Is("web_search_result") {
			return // a source
		}
		for name, value := range content.Members() {
			switch name.Text() {
			case "title", "url", "text", "stdout", "stderr", "lines", "error_code", "content":
				appendHosted(b, value)
			case "source":
				if value.Get("type").Is(typeText) {
					appendHosted(b, value.Get("data"))
				}
			}
		}
	}
}

// Cited implements [view.Format]: the pages that text blocks cite. Citations of documents are left
// out: those are in messages of the client.
func (format) Cited(m *view.Message) (list []view.Source) {
	for raw := range blocks(m) {
		if raw.Get("type").Is(typeText) {
			list = appendCited(list, raw)
		}
	}
	return list
}

func appendCited(list []view.Source, block rawjson.Value) []view.Source {
	for citation := range block.Get("citations").Elements() {
		of := citation.GetEach("type", "title", "url", "cited_text")
		if !of[0].Is("web_search_result_location") {
			continue
		}
		before := len(list)
		if list = view.AppendSource(list, of[1], of[2]); len(list) > before {
			list[before].Text = of[3].Text()
		}
	}
	return list
}
