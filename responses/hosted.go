package responses

import (
	"strings"

	"killick/rawjson"
	"killick/view"
)

// The items are described by openai-go v3.95.0: ResponseFunctionWebSearch,
// ResponseFileSearchToolCall, ResponseCodeInterpreterToolCall, ResponseInputItemImageGenerationCall
// and ResponseInputItemMcpCall.

// ranBy returns a call that the server ran, without its arguments and the text of its result.
func ranBy(name string, item rawjson.Value) view.HostedCall {
	status := item.Get("status")
	return view.HostedCall{ID: item.Get("id").Text(), Name: name, Result: &view.HostedResult{
		Failed: status.Is("failed"), Exit: -1,
	}}
}

// ranWebSearch reads a search, or a page that was opened or searched. The sources are sent if the
// client asked for them.
func ranWebSearch(item rawjson.Value) view.HostedCall {
	c, action := ranBy("web_search", item), item.Get("action")
	query := action.Get("query")
	for one := range action.Get("queries").Elements() {
		if one.Is(query.Text()) {
			action = action.Without("query")
			break
		}
	}
	c.Arguments = action.Without("type").Without("sources")
	for source := range action.Get("sources").Elements() {
		c.Result.Sources = view.AppendSource(c.Result.Sources, nil, source.Get("url"))
	}
	return c
}

func ranFileSearch(item rawjson.Value) view.HostedCall {
	c := ranBy("file_search", item)
	c.Arguments = objectOf("queries", item.Get("queries"))
	var b strings.Builder
	for found := range item.Get("results").Elements() {
		c.Result.Sources = view.AppendSource(c.Result.Sources, found.Get("filename"), nil)
		appendLine(&b, found.Get("text").Text())
	}
	c.Result.Text = b.String()
	return c
}

func ranCode(item rawjson.Value) view.HostedCall {
	c := ranBy("code_interpreter", item)
	c.Arguments, c.Runs = objectOf("code", item.Get("code")), true
	var b strings.Builder
	for output := range item.Get("outputs").Elements() {
		appendLine(&b, output.Get("logs").Text())
	}
	c.Result.Text = b.String()
	return c
}

func ranImage(item rawjson.Value) view.HostedCall {
	return ranBy("image_generation", item)
}

// ranMCP reads a call of a tool of a server, which is named with the server. What failed has an
// error: a text, or an object with a message or, if the tool itself failed, with the parts of what
// it returned.
func ranMCP(item rawjson.Value) view.HostedCall {
	of := item.GetEach("name", "arguments", "output", "error", "server_label")
	c := ranBy(of[0].Text(), item)
	if server := of[4].Text(); server != "" {
		c.Name = server + "." + c.Name
	}
	c.Arguments, c.Result.Text = of[1], of[2].Text()
	switch failure := of[3]; failure.Kind() {
	case rawjson.String:
		c.Result.Failed, c.Result.Text = true, failure.Text()
	case rawjson.Object:
		c.Result.Failed, c.Result.Text = true, failure.Get("message").Text()
		var b strings.Builder
		for part := range failure.Get("content").Elements() {
			appendLine(&b, part.Get("text").Text())
		}
		if b.Len() > 0 {
			c.Result.Text = b.String()
		}
	}
	return c
}

// objectOf returns an object with one member, empty if it has no value.
func objectOf(name string, value rawjson.Value) rawjson.Value {
	if len(value) == 0 {
		return rawjson.Value(`{}`)
	}
	return rawjson.WithMembers([]byte(`{}`), map[string]rawjson.Value{name: value})
}

// appendLine appends a text on lines of its own, unless it is empty.
func appendLine(b *strings.Builder, text string) {
	if text != "" && b.Len() > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(text)
}

// appendCited appends the pages and files of the annotations of a part. Source: openai-go v3.95.0,
// ResponseOutputTextAnnotationUnionParam.
func appendCited(list []view.Source, part rawjson.Value) []view.Source {
	for note := range part.Get("annotations").Elements() {
		of := note.GetEach("type", "title", "url", "filename")
		switch {
		case of[0].Is("url_citation"):
			list = view.AppendSource(list, of[1], of[2])
		case of[0].Is("file_citation"), of[0].Is("container_file_citation"):
			list = view.AppendSource(list, of[3], nil)
		}
	}
	return list
}
