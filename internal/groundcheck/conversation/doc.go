// Package conversation reads a request as an agent sends it: messages, what persons typed, calls
// and how they ended, what they printed, patches, the todo list. It sees no record, and shares no
// code with the packages that write records.
package conversation
