package class

import "testing"

// Checkpoints are found by the bytes of messages. A conversation in one format is never taken for
// one in another.
func TestFormatsBeginCanonicalBytesWithOtherTags(t *testing.T) {
	bodies := map[Class][]string{
		Chat:      {`{"role":"user","content":"a"}`},
		Ollama:    {`{"role":"user","content":"a"}`},
		Messages:  {`{"role":"user","content":"a"}`, `{"type":"text","text":"a"}`},
		Responses: {`{"role":"user","content":"a"}`},
		Gemini:    {`{"role":"user","parts":[{"text":"a"}]}`, `{"text":"a"}`},
		Converse:  {`{"role":"user","content":[{"text":"a"}]}`, `{"text":"a"}`},
	}
	begins := map[byte]string{}
	for class, texts := range bodies {
		for _, text := range texts {
			m, err := Formats[class].View.Message([]byte(text))
			if err != nil {
				t.Fatal(class, err)
			}
			tag := Formats[class].View.AppendCanonical(nil, &m)[0]
			if other := begins[tag]; other != "" {
				t.Errorf("%s %s begins with %q, as %s", class, text, tag, other)
			}
			begins[tag] = string(class) + " " + text
		}
	}
}
