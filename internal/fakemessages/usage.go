package fakemessages

// Usage is what a request cost, as answers report it.
type Usage struct {
	InputTokens           int // neither read from the cache nor written to it
	CacheCreationTokens   int
	CacheReadTokens       int
	CacheCreation5mTokens int
	CacheCreation1hTokens int
	OutputTokens          int
}

// Prompt is the whole input.
func (u Usage) Prompt() int { return u.InputTokens + u.CacheCreationTokens + u.CacheReadTokens }

// iteration is a call of the model's that the usage of a request leaves out.
type iteration struct {
	Type  string
	Usage Usage
}

func (u Usage) json() usageJSON {
	j := usageJSON{InputTokens: u.InputTokens, CacheCreationTokens: u.CacheCreationTokens,
		CacheReadTokens: u.CacheReadTokens, OutputTokens: u.OutputTokens,
		ServiceTier: "standard"}
	j.CacheCreation.Tokens5m = u.CacheCreation5mTokens
	j.CacheCreation.Tokens1h = u.CacheCreation1hTokens
	return j
}

// usageJSON has the members of a usage in Anthropic's order.
type usageJSON struct {
	InputTokens         int `json:"input_tokens"`
	CacheCreationTokens int `json:"cache_creation_input_tokens"`
	CacheReadTokens     int `json:"cache_read_input_tokens"`
	CacheCreation       struct {
		Tokens5m int `json:"ephemeral_5m_input_tokens"`
		Tokens1h int `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	OutputTokens int             `json:"output_tokens"`
	ServiceTier  string          `json:"service_tier"`
	Iterations   []iterationJSON `json:"iterations,omitempty"`
}

type iterationJSON struct {
	Type string `json:"type"`
	usageJSON
}
