package fakeresponses

import "killick/internal/fakeserver/openaiapi"

// follows reports whether an item can be what a reasoning item was made for: something that the
// model did.
func follows(item Object) bool {
	switch typ := item.Text("type"); typ {
	case "message":
		return item.Text("role") == "assistant"
	case "reasoning", "web_search_call", "file_search_call", "code_interpreter_call",
		"image_generation_call", "mcp_call", "mcp_list_tools", "mcp_approval_request":
		return true
	default:
		return calls[typ] != nil
	}
}

// checkFollowers refuses reasoning items without the item that they belong to, and stored items
// without the reasoning item that they belong to.
func (st *state) checkFollowers(r *Request) *openaiapi.Error {
	present := map[string]bool{}
	for i, item := range r.Items {
		id, typ := item.Text("id"), item.Text("type")
		stored := st.item(r.organization, id)
		if typ == "reasoning" {
			present[id] = true
			if i+1 == len(r.Items) || !follows(r.Items[i+1]) {
				return invalidInput(noFollower, id)
			}
			// Without encrypted content it is looked up, and its follower with it.
			if !item.Has("encrypted_content") && stored != nil &&
				stored.next != r.Items[i+1].Text("id") {
				return invalidInput(noFollower, id)
			}
			continue
		}
		if stored != nil && stored.reasoning != "" && !present[stored.reasoning] {
			return invalidInput(noReasoning, id, typ, stored.reasoning)
		}
	}
	return nil
}

// movedReasoning counts the reasoning items of the input that another item follows than the one
// that they were made for.
func movedReasoning(r *Request) (n int) {
	for i, item := range r.Items[r.Kept:] {
		content, ok := open(r.organization, item)
		if !ok || content.Type != "reasoning" {
			continue
		}
		next := r.Items[r.Kept+i+1] // checkFollowers asks for one
		if marker(next) != content.Next {
			n++
		}
	}
	return n
}

// marker names the item that follows a reasoning item, whatever ids a client left out.
func marker(item Object) string {
	switch {
	case item == nil:
		return ""
	case item.Text("call_id") != "":
		return item.Text("call_id")
	default:
		return item.Text("type")
	}
}

// missingPhases counts the assistant messages of the input that lack their phase: those that have
// none, and those that have another one than this server gave to the message of their id. at is
// the place of the first.
func (st *state) missingPhases(r *Request) (n, at int) {
	for i, item := range r.Items[r.Kept:] {
		if item.Text("type") != "message" || item.Text("role") != "assistant" {
			continue
		}
		phase := item.Text("phase")
		if given := st.phase(item.Text("id")); phase == "" || given != "" && given != phase {
			if n == 0 {
				at = i
			}
			n++
		}
	}
	return n, at
}
