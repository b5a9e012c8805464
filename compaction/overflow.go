package compaction

// Overflow is what an upstream reported about a request that was too long for its model. Numbers
// are tokens in the upstream's own count; 0 if it did not report them.
type Overflow struct {
	Window int // the most that the model accepts, prompt and completion together
	Input  int // the most that it accepts as prompt
	Prompt int // the size of the prompt, or a lower bound of it
	Output int // the completion that was asked for
	Over   int // by how much the prompt was too long

	Sent int // the size of what was sent, in our count; 0 if it was not counted
	Try  int // how often this request was refused as too long, including this time
}
