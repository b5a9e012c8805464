package prepare

import (
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
)

// Task is a conversation for which a model may write.
type Task struct {
	Who    string
	Policy settings.Policy
	Budget settings.Budget
	Count  layout.Counter
	Writers
	Origin string // the upstream that the request goes to
	View   *layout.View

	Conversation checkpoint.Conversation
	Prepared     checkpoint.Conversation // in Background.Store; nil if no model writes

	FailOpen func(reason string, err error)
}
