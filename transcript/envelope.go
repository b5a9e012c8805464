package transcript

import (
	"encoding/json"
	"strings"

	"killick/rawjson"
)

// Some tools take several things to do in one call and answer with a list of what each brought
// about: [{"query":"…","result":"…","error":"…","success":false}, …], or one such object (Cline
// 3.0.65). The members around the results belong to the agent's frame.

// item is what one of several things brought about.
type item struct {
	result, failure string
	failed          bool
}

// itemStarts begin such results.
var itemStarts = []string{`[{"query":`, `{"query":`}

// listsItems reports whether a result may be such a list, judging by its beginning.
func listsItems(head string) bool {
	return strings.HasPrefix(head, itemStarts[0]) || strings.HasPrefix(head, itemStarts[1])
}

// itemsOf reads such a result. An element of another form makes it something else.
func itemsOf(text string) (items []item, ok bool) {
	if !listsItems(text) {
		return nil, false
	}
	if text[0] == '{' {
		text = "[" + text + "]"
	}
	list := rawjson.Value(text)
	if !json.Valid(list) {
		return nil, false
	}
	for el := range list.Elements() {
		result, success := el.Get("result"), el.Get("success")
		if el.Get("query").Kind() != rawjson.String || result == nil ||
			success.Kind() != rawjson.Bool {
			return nil, false
		}
		items = append(items, item{
			result: partsText(result), failure: el.Get("error").Text(),
			failed: string(success) == "false",
		})
	}
	return items, len(items) > 0
}

// partsText returns a text, or the texts of a list of parts.
func partsText(v rawjson.Value) string {
	if v.Kind() != rawjson.Array {
		return v.Text()
	}
	var texts []string
	for part := range v.Elements() {
		if text := part.Get("text"); text.Kind() == rawjson.String {
			texts = append(texts, text.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// statusOfItems returns how a call with several things to do ended. Of commands one that failed
// counts, of other things only if all of them failed; what is left is unknown.
func statusOfItems(items []item, runs bool) (status Status, code int) {
	failed := 0
	code = -1
	for _, i := range items {
		if !i.failed {
			continue
		}
		failed++
		if n, ok := exitCode(i.result, ""); ok {
			code = n
		}
	}
	switch {
	case failed == 0:
		return OK, -1
	case runs:
		return Failed, code
	case failed == len(items):
		return Failed, -1
	}
	return Unknown, -1
}

// outputOfItems returns what the things brought about, each on its own lines.
func outputOfItems(items []item) string {
	var b strings.Builder
	for _, i := range items {
		text := i.result
		if _, framed := exitCode(text, ""); framed {
			_, text, _ = strings.Cut(text, "\n")
		}
		if strings.TrimSpace(text) == "" {
			text = i.failure
		}
		b.WriteString(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
