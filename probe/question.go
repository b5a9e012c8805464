package probe

// Category is the subject of a question.
type Category string

// The categories.
const (
	Recall       Category = "recall"       // the task, the user's requirements, current values
	Artifact     Category = "artifact"     // files and other results
	Continuation Category = "continuation" // open items and next steps
	Decision     Category = "decision"     // what was chosen, and over what
)

// Question is a question about the replaced turns, with the answer in them.
type Question struct {
	Category Category `json:"category"`
	Text     string   `json:"question"`
	Expected string   `json:"expected"`
	// Message is the number of the message with the answer, 0 if unknown.
	Message int `json:"message"`
	// Critical is set by Accept: the question is one of recall, and a user typed in the
	// message with its answer.
	Critical bool `json:"critical,omitempty"`
}
