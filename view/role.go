package view

import "killick/rawjson"

// Role is the author of a message.
type Role string

// The roles. Messages of other roles are kept unchanged.
const (
	System    Role = "system"
	Developer Role = "developer"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	Function  Role = "function" // the result of a legacy function_call
)

// Instructs reports whether the role is one of the operator's: such messages are always forwarded
// unchanged.
func (r Role) Instructs() bool { return r == System || r == Developer }

// Result reports whether messages of the role answer a call.
func (r Role) Result() bool { return r == Tool || r == Function }

// RoleOf returns the role that a JSON string names.
func RoleOf(v rawjson.Value) Role {
	switch body := v.StringBody(); string(body) {
	case "user":
		return User
	case "assistant":
		return Assistant
	case "tool":
		return Tool
	case "system":
		return System
	}
	return Role(v.Text())
}
