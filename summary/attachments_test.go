package summary

import (
	"strings"
	"testing"
)

// A record says which messages had images and files, unless they are sent along.
func TestAttachmentsAreNamed(t *testing.T) {
	const image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}`
	read := call("Read", `{"file_path":"/repo/oven/door.png"}`, "")
	read[1] = `{"role":"tool","tool_call_id":"c","content":[` + image + `,` + image + `]}`
	src := sourceOf(t, talk(
		`{"role":"user","content":[{"type":"text","text":"Mend the oven."},`+image+`]}`,
		read,
		`{"role":"user","content":[`+image+`,{"type":"file","file":{"filename":`+
			`"a \"manual\".pdf","file_data":"data:application/pdf;base64,AA"}}]}`,
		assistant("The door is bent.")))
	sum := Read(src, src.Calls, 0, len(src.Messages), &Summary{})
	sum.FillWords(src, 0, len(src.Messages), []Kept{{At: 1, Class: KeptPerson}})
	sum.Task = 1
	record := sum.Render(Room{Summary: 4000, All: 4000})
	want := "\n## " + TitleAttached +
		"\n- 4 user: image/png, application/pdf \"a 'manual'.pdf\"\n" +
		"- 2 Read(/repo/oven/door.png): 2 × image/png\n\n"
	if !strings.Contains(record+"\n", want) {
		t.Errorf("got:\n%s\nwant in it:%s", record, want)
	}
}
