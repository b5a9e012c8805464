package converse

import (
	"strings"

	"killick/rawjson"
	"killick/view"
)

// HostedCalls implements [view.Format].
func (format) HostedCalls(m *view.Message) []view.HostedCall {
	var list view.HostedList
	for k := range blocks(m) {
		raw := m.Raw[k.start:k.end]
		switch k.kind {
		case hosted:
			list.Add(view.HostedCall{ID: k.id.Of(raw).Text(),
				Name: k.tool.Of(raw).Text(), Arguments: k.input.Of(raw)})
		case hostedEnd:
			list.Answer(k.id.Of(raw).Text(), view.HostedResult{
				Sources: sourcesOf(k.content.Of(raw)), Text: textOf(k.content.Of(raw)),
				Failed: k.status.Of(raw).Is("error"), Exit: -1,
			})
		}
	}
	return list.Calls
}

// textOf returns the texts and the JSON in a list of blocks, each on lines of its own.
func textOf(content rawjson.Value) string {
	var texts []string
	for raw := range content.Elements() {
		if text := raw.Get("text"); text != nil {
			texts = append(texts, text.Text())
		} else if object := raw.Get("json"); object != nil {
			texts = append(texts, string(object))
		}
	}
	return strings.Join(texts, "\n")
}

// sourcesOf returns the search results in a list of blocks.
func sourcesOf(content rawjson.Value) (list []view.Source) {
	for raw := range content.Elements() {
		of := raw.Get("searchResult").GetEach("title", "source")
		list = view.AppendSource(list, of[0], of[1])
	}
	return list
}

// Cited implements [view.Format]: the pages that a reply cites. Citations of documents are left
// out: those are in messages of the client. Source: botocore's model of bedrock-runtime, Citation.
func (format) Cited(m *view.Message) (list []view.Source) {
	for k := range blocks(m) {
		raw := rawjson.Value(m.Raw[k.start:k.end])
		if !k.name.Of(raw).Is("citationsContent") {
			continue
		}
		for citation := range k.data.Of(raw).Get("citations").Elements() {
			of := citation.GetEach("title", "location", "sourceContent")
			url := of[1].Get("web").Get("url")
			if url == nil {
				continue
			}
			before := len(list)
			if list = view.AppendSource(list, of[0], url); len(list) > before {
				list[before].Text = textOf(of[2])
			}
		}
	}
	return list
}
