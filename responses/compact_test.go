package responses

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/responses"
)

const secretRecord = "[Record] port 8443 \"stays\"\n\u2028"

func sealer(seed byte) *Sealer {
	var key [32]byte
	for i := range key {
		key[i] = seed
	}
	return NewSealer(key)
}

// answered is a request for compaction and its answer.
func answered(t *testing.T) []byte {
	t.Helper()
	r := parse(t, developer, userText, reasoning, said, callRead, readA, userParts,
		`{"type":"message","id":"msg_7","role":"user","content":[{"type":"input_image",`+
			`"image_url":"data:x"}]}`)
	return sealer(1).Answer(r, "ann", Compaction{secretRecord, 1_700_000_000, 900, 100})
}

func TestAnswerIsAsTheAPIsOwn(t *testing.T) {
	raw := answered(t)
	var answer responses.CompactedResponse
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatal(err)
	}
	if string(answer.Object) != "response.compaction" || answer.CreatedAt != 1_700_000_000 ||
		!strings.HasPrefix(answer.ID, "resp_") || answer.Usage.InputTokens != 900 ||
		answer.Usage.OutputTokens != 100 || answer.Usage.TotalTokens != 1000 {
		t.Errorf("%s", raw)
	}
	for name, field := range map[string]bool{
		"output": answer.JSON.Output.Valid(), "usage": answer.JSON.Usage.Valid(),
		"input details":  answer.Usage.JSON.InputTokensDetails.Valid(),
		"output details": answer.Usage.JSON.OutputTokensDetails.Valid(),
	} {
		if !field {
			t.Errorf("%s is missing in %s", name, raw)
		}
	}
	var got []string
	ids := map[string]bool{}
	for _, item := range answer.Output {
		got = append(got, item.Type+" "+item.Role+" "+item.Status)
		ids[item.ID] = true
	}
	if want := "message user completed, message user completed, message user completed, " +
		"compaction  "; strings.Join(got, ", ") != want {
		t.Errorf("output %q, want %q", strings.Join(got, ", "), want)
	}
	if len(ids) != 4 || !ids["msg_7"] {
		t.Errorf("ids %v", ids)
	}
	if n := bytes.Count(raw, []byte(`"text":"do it"`)); n != 2 {
		t.Errorf("%d of 2 texts in %s", n, raw)
	}
	for _, secret := range []string{"8443", "be brief", "package a"} {
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("%q can be read in %s", secret, raw)
		}
	}
}

// nextRequest returns the request of a client that continues with the output of an answer.
func nextRequest(t *testing.T, answer []byte) (body []byte, item string) {
	t.Helper()
	var a struct{ Output []json.RawMessage }
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatal(err)
	}
	item = string(a.Output[len(a.Output)-1])
	return []byte(`{"model":"gpt-6", "input" : [ ` + developer + ` , ` + string(a.Output[0]) +
		"\n,\n" + item + "\n, " + userText + `] , "x":1e2}`), item
}

func TestUnsealPutsTheRecordInPlaceOfTheItem(t *testing.T) {
	body, item := nextRequest(t, answered(t))
	got, found := sealer(1).Unseal("ann", body)
	record := `{"role":"user","content":"[Record] port 8443 \"stays\"\n` + "\u2028" + `"}`
	if want := strings.Replace(string(body), item, record, 1); string(got) != want ||
		found != (Unsealed{Records: 1}) {
		t.Errorf("%+v\n%s\nwant\n%s", found, got, want)
	}
	r, err := Parse(got)
	if err != nil {
		t.Fatal(err)
	}
	if why := Format.Rules(r).Passthrough; why != "" {
		t.Errorf("it is passed through: %s", why)
	}
}

// Items that others sealed stay as they are beside ours.
func TestUnsealLeavesOthersItems(t *testing.T) {
	body, item := nextRequest(t, answered(t))
	both := bytes.Replace(body, []byte(item), []byte(compacted+","+item), 1)
	got, found := sealer(1).Unseal("ann", both)
	if found != (Unsealed{Records: 1}) || !bytes.Contains(got, []byte(compacted+",")) {
		t.Errorf("%+v\n%s", found, got)
	}
}

func TestUnsealRefuses(t *testing.T) {
	body, item := nextRequest(t, answered(t))
	damaged := bytes.Replace(body, []byte(item), []byte(strings.Replace(item, `killick-1.`,
		`killick-1.A`, 1)), 1)
	foreign := bytes.Replace(body, []byte(item), []byte(compacted), 1)
	inText := bytes.Replace(body, []byte(item), []byte(
		`{"role":"user","encrypted_content":"killick-1.x","content":"killick-1."}`), 1)
	open := body[: len(body)-1 : len(body)-1]
	for name, c := range map[string]struct {
		s    *Sealer
		who  string
		body []byte
		want Unsealed
	}{
		"another credential": {sealer(1), "bob", body, Unsealed{Refused: 1}},
		"another key":        {sealer(2), "ann", body, Unsealed{Refused: 1}},
		"damaged":            {sealer(1), "ann", damaged, Unsealed{Refused: 1}},
		"somebody else's":    {sealer(1), "ann", foreign, Unsealed{}},
		"in a message":       {sealer(1), "ann", inText, Unsealed{}},
		"an input of text": {sealer(1), "ann", []byte(`{"input":"killick-1."}`),
			Unsealed{}},
		"torn": {sealer(1), "ann", body[:len(body)-1], Unsealed{}},
		"two":  {sealer(1), "ann", append(open, `,"input":[]}`...), Unsealed{}},
		"two, of which the first is empty": {sealer(1), "ann", bytes.Replace(body, []byte("{"),
			[]byte(`{"input":[],`), 1), Unsealed{}},
		"more than the content": {sealer(1), "ann", bytes.Replace(body, []byte(item),
			[]byte(regexp.MustCompile(`killick-1\.[^"]*`).ReplaceAllString(item, "$0!")), 1),
			Unsealed{Refused: 1}},
		"trailing": {sealer(1), "ann", append(bytes.Clone(body), "]"...), Unsealed{}},
		"no JSON":  {sealer(1), "ann", []byte(`killick-1.`), Unsealed{}},
	} {
		got, found := c.s.Unseal(c.who, c.body)
		if found != c.want || !bytes.Equal(got, c.body) {
			t.Errorf("%s: %+v, want %+v and no change: %s", name, found, c.want, got)
		}
	}
}

func TestSealed(t *testing.T) {
	for body, want := range map[string]bool{
		"": false, "killick-1.": true, `-1.5,-1.-1."killick-1.A"`: true, "killick-1": false,
		"illick-1.": false, "-1.killick": false, "killick -1.": false,
	} {
		if Sealed([]byte(body)) != want {
			t.Errorf("%q: %t", body, !want)
		}
	}
}

func FuzzUnseal(f *testing.F) {
	s := sealer(1)
	f.Add([]byte(`{"input":[{"type":"compaction","encrypted_content":"` + s.seal("ann", "r") +
		`"}]}`))
	f.Add([]byte(`{"input":[{"type":"compaction","encrypted_content":"killick-1.AAAA"}, {}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, found := s.Unseal("ann", body)
		switch {
		case found.Records == 0:
			if !bytes.Equal(got, body) {
				t.Fatalf("%q became %q", body, got)
			}
		case !json.Valid(got) || !json.Valid(body):
			t.Fatalf("%q became %q", body, got)
		}
	})
}
