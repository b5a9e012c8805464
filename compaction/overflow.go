package compaction

// Overflow is what an upstream said of a request that was too long for its model.
// Numbers are tokens in the upstream's own count; 0 stands for what it did not say.
type Overflow struct {
	Window int // what the model takes, prompt and completion together
	Input  int // what it takes of prompt alone
	Prompt int // what the prompt came to, at least
	Output int // what was asked for as completion
	Over   int // by how much the prompt was too long

	Sent int // tokens of what was sent, in our count; 0 if it was not counted
	Try  int // how often this request was refused as too long, this time included
}
