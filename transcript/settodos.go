package transcript

// SetsTodos reports whether the call maintains the agent's todo list, so that its outcome shows in
// the list.
func (c *Call) SetsTodos() bool {
	switch name := toolName(c.Name); name {
	case "taskcreate", "taskupdate", "tasklist", "taskget", "todoread", "readtodos":
		return true
	default:
		return todoTools[name]
	}
}
