package tokenizer

import (
	"strings"

	"killick/tokenizer/bpe"
)

// families maps the start of a model's name, up to the end of a word or a
// number, to its encoding; the first entry that fits counts. Source: the model
// table of OpenAI's tiktoken (tiktoken/model.py), and OpenAI's harmony for gpt-oss.
var families = []struct{ prefix, encoding string }{
	{"gpt-oss", bpe.O200kHarmony},
	{"gpt-4o", bpe.O200kBase},
	{"gpt-4.", bpe.O200kBase},
	{"gpt-5", bpe.O200kBase},
	{"chatgpt-4o", bpe.O200kBase},
	{"codex-mini", bpe.O200kBase},
	{"o1", bpe.O200kBase},
	{"o3", bpe.O200kBase},
	{"o4", bpe.O200kBase},
	{"gpt-4", bpe.Cl100kBase},
	{"gpt-3.5", bpe.Cl100kBase},
	{"gpt-35", bpe.Cl100kBase}, // as Azure spells it
	{"text-embedding", bpe.Cl100kBase},
	{"davinci-002", bpe.Cl100kBase},
	{"babbage-002", bpe.Cl100kBase},
	{"text-davinci-002", bpe.P50kBase},
	{"text-davinci-003", bpe.P50kBase},
	{"text-davinci-edit", bpe.P50kBase},
	{"code-davinci", bpe.P50kBase},
	{"code-cushman", bpe.P50kBase},
	{"davinci-codex", bpe.P50kBase},
	{"cushman-codex", bpe.P50kBase},
	{"text-davinci", bpe.R50kBase},
	{"text-curie", bpe.R50kBase},
	{"text-babbage", bpe.R50kBase},
	{"text-ada", bpe.R50kBase},
	{"text-similarity", bpe.R50kBase},
	{"text-search", bpe.R50kBase},
	{"code-search", bpe.R50kBase},
	{"davinci", bpe.R50kBase},
	{"curie", bpe.R50kBase},
	{"babbage", bpe.R50kBase},
	{"ada", bpe.R50kBase},
	{"gpt2", bpe.R50kBase},
	{"gpt-2", bpe.R50kBase},
}

// encodingFor returns the name of the encoding that model uses, and reports whether
// it is published for the model. It reads names as clients and gateways write
// them: openai/gpt-5.1, azure/gpt-4o, ft:gpt-4o-mini-2024-07-18:org::id,
// accounts/x/models/gpt-oss-120b, dated names. A model it does not know gets
// o200k_base, whose counts come nearest to those of most models.
func encodingFor(model string) (encoding string, published bool) {
	name := baseModel(model)
	for _, f := range families {
		rest, ok := strings.CutPrefix(name, f.prefix)
		if ok && (rest == "" || !alphanumeric(rest[0]) || strings.HasSuffix(f.prefix, ".")) {
			return f.encoding, true
		}
	}
	return bpe.O200kBase, false
}

func alphanumeric(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// baseModel strips from a model's name what gateways put around it: providers and paths before,
// tags and organisations of fine-tunes after.
func baseModel(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	name = strings.TrimPrefix(name, "ft:")
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = strings.TrimPrefix(name[i+1:], "ft:")
	}
	name, _, _ = strings.Cut(name, ":")
	if before, rest, ok := strings.Cut(name, "openai."); ok && (before == "" ||
		strings.HasSuffix(before, ".")) {
		return rest // as Bedrock spells it, with a region before it or not
	}
	return name
}
