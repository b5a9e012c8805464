package programs

import (
	"encoding/json"
	"fmt"

	"killick/internal/agents/work"
)

// Call is a call of a tool.
type Call struct {
	ID        string
	Name      string
	Namespace string // of a tool on /v1/responses, "" if it has none
	Arguments string // JSON, the input of a custom tool, the command or the patch of a hosted one
	Custom    bool
	Hosted    string // the type of a hosted tool's call on /v1/responses, "" for other tools
	Path      string // of the file that a hosted tool patches
}

// Dialect makes a call of a step, with the tools and the names that an agent has. dir is the
// project.
type Dialect func(s work.Step, dir string) Call

func withJSON(name string, arguments map[string]any) Call {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	return Call{Name: name, Arguments: string(raw)}
}

// patch is an edit as apply_patch takes it.
func patch(s work.Step) string {
	return fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n",
		s.File, s.Before, s.After)
}
