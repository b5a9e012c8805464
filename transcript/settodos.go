package transcript

// SetsTodos reports whether the call keeps the agent's own list of what is to be
// done, so that its outcome shows in the list.
func (c *Call) SetsTodos() bool {
	switch name := toolName(c.Name); name {
	case "taskcreate", "taskupdate", "tasklist", "taskget", "todoread", "readtodos":
		return true
	default:
		return todoTools[name]
	}
}
