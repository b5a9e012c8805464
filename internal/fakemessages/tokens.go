package fakemessages

// Tokens that stand for what is not text.
const (
	bytesPerToken  = 4
	tokensOfImage  = 1600 // about the most that one costs (…/build-with-claude/vision)
	tokensOfBlock  = 4    // what frames a block or a tool
	tokensOfPrompt = 8    // what is around the whole
)
