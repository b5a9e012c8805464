package tokenizer

import "strings"

// Names of the published encodings.
const (
	o200kBase    = "o200k_base"
	o200kHarmony = "o200k_harmony"
	cl100kBase   = "cl100k_base"
	p50kBase     = "p50k_base"
	r50kBase     = "r50k_base"
)

// families maps the start of a model's name, up to the end of a word or a
// number, to its encoding; the first entry that fits counts. Source: the model table of OpenAI's tiktoken
// (tiktoken/model.py), and OpenAI's harmony for gpt-oss.
var families = []struct{ prefix, encoding string }{
	{"gpt-oss", o200kHarmony},
	{"gpt-4o", o200kBase},
	{"gpt-4.", o200kBase},
	{"gpt-5", o200kBase},
	{"chatgpt-4o", o200kBase},
	{"codex-mini", o200kBase},
	{"o1", o200kBase},
	{"o3", o200kBase},
	{"o4", o200kBase},
	{"gpt-4", cl100kBase},
	{"gpt-3.5", cl100kBase},
	{"gpt-35", cl100kBase}, // as Azure spells it
	{"text-embedding", cl100kBase},
	{"davinci-002", cl100kBase},
	{"babbage-002", cl100kBase},
	{"text-davinci-002", p50kBase},
	{"text-davinci-003", p50kBase},
	{"text-davinci-edit", p50kBase},
	{"code-davinci", p50kBase},
	{"code-cushman", p50kBase},
	{"davinci-codex", p50kBase},
	{"cushman-codex", p50kBase},
	{"text-davinci", r50kBase},
	{"text-curie", r50kBase},
	{"text-babbage", r50kBase},
	{"text-ada", r50kBase},
	{"text-similarity", r50kBase},
	{"text-search", r50kBase},
	{"code-search", r50kBase},
	{"davinci", r50kBase},
	{"curie", r50kBase},
	{"babbage", r50kBase},
	{"ada", r50kBase},
	{"gpt2", r50kBase},
	{"gpt-2", r50kBase},
}

// encodingFor returns the name of the encoding that model uses, and tells whether
// it is published for the model. It reads names as clients and gateways write
// them: openai/gpt-5.1, azure/gpt-4o, ft:gpt-4o-mini-2024-07-18:org::id,
// accounts/x/models/gpt-oss-120b, dated names. A model it does not know gets
// o200k_base, whose counts are the best start for a calibration.
func encodingFor(model string) (encoding string, published bool) {
	name := baseModel(model)
	for _, f := range families {
		rest, ok := strings.CutPrefix(name, f.prefix)
		if ok && (rest == "" || !alphanumeric(rest[0]) || strings.HasSuffix(f.prefix, ".")) {
			return f.encoding, true
		}
	}
	return o200kBase, false
}

func alphanumeric(b byte) bool { return byteClass[b]&(isLetter|isNumber) != 0 }

// baseModel strips from a model's name what gateways put around it: providers
// and paths before, tags and organisations of fine-tunes behind.
func baseModel(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	name = strings.TrimPrefix(name, "ft:")
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = strings.TrimPrefix(name[i+1:], "ft:")
	}
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimPrefix(name, "openai.") // as Bedrock spells it
}
