package programs

// The wire formats that agents speak.
const (
	FormatMessages  = "messages"
	FormatResponses = "responses"
	FormatChat      = "chat"
	FormatGemini    = "gemini"
	FormatConverse  = "converse"
	FormatOllama    = "ollama"
)
