package prepare

import (
	"time"

	"killick/compactor/checkpoint"
	"killick/probe"
)

// preparation is the preparation of one summary, started by a request.
type preparation struct {
	Task
	options   *Options
	backoffs  *backoffs              // of the engine
	sent      []byte                 // the body that was forwarded for the request
	form      *checkpoint.Checkpoint // of the request; nil if it has none
	size      int                    // of the request in that form
	limit     int                    // size past which the form must change
	backoff   backoff                // is set when the preparation ends
	claimed   string                 // the work that this process has claimed; "" for none
	takenBack []int                  // statements of earlier folds that are not shown again
	whole     *probe.Conversation    // what a verifier sees is chosen from it
	report    Report
	started   time.Time
}
