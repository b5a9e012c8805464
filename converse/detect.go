package converse

import "killick/rawjson"

// HoldsBlocks reports whether a body with messages is one of Converse, whose blocks have no type:
// each has one member, its kind.
func HoldsBlocks(body rawjson.Value) bool {
	if body.Get("toolConfig") != nil || body.Get("inferenceConfig") != nil {
		return true
	}
	for message := range body.Get("messages").Elements() {
		for raw := range message.Get("content").Elements() {
			var k block
			if _, err := k.read(raw, 0, levels-1); err == nil && k.kind != unknown {
				return true
			}
		}
	}
	return false
}
