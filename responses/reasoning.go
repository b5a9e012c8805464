package responses

import "killick/rawjson"

// WithoutReasoning returns a body without the reasoning items of its input, and whether it had any.
// Every other byte stays. It is for a request that was refused with invalid_encrypted_content: the
// items were made for another organization, or have gone stale, and the rest can be sent without
// them.
func WithoutReasoning(body []byte) ([]byte, bool) {
	return withoutItems(body, func(raw rawjson.Value) bool {
		return raw.Get("type").Is("reasoning")
	})
}

// withoutItems returns a body without those items of its input that drop names, and whether there
// were any. A body whose input cannot be read is returned as it is.
func withoutItems(body []byte, drop func(raw rawjson.Value) bool) ([]byte, bool) {
	return editItems(body, func(raw rawjson.Value) ([]byte, bool) { return nil, drop(raw) })
}

// editItems returns a body with those items of its input replaced that edit returns something else
// for, nil to leave the item out, and whether there were any. Every other byte stays.
func editItems(
	body []byte, edit func(raw rawjson.Value) (replacement []byte, edited bool),
) ([]byte, bool) {
	at, ok := inputOf(body)
	if !ok {
		return body, false
	}
	out := append(make([]byte, 0, len(body)), body[:at.Start+1]...)
	last := int(at.Start) + 1 // end of the last item, kept or not
	kept, changed := 0, false
	end, err := rawjson.WalkArray(body, int(at.Start), func(from int) (int, error) {
		end, err := rawjson.Skip(body, from)
		if err != nil {
			return end, err
		}
		before := body[last:from]
		last = end
		raw, edited := edit(body[from:end:end])
		if !edited {
			raw = body[from:end]
		}
		changed = changed || edited
		if raw == nil {
			return end, nil
		}
		if kept == 0 {
			before = afterComma(before)
		}
		kept++
		out = append(append(out, before...), raw...)
		return end, nil
	})
	if err != nil || !changed {
		return body, false
	}
	return append(append(out, body[last:end]...), body[end:]...), true
}

// afterComma returns what separates two items without the comma and what is before it.
func afterComma(separator []byte) []byte {
	for i, c := range separator {
		if c == ',' {
			return separator[i+1:]
		}
	}
	return separator
}

// inputOf returns where the list of items stands in a body. It is not found in a body that has two.
func inputOf(body []byte) (at rawjson.Span, ok bool) {
	i := rawjson.Space(body, 0)
	if i >= len(body) || body[i] != '{' || len(body) > rawjson.MaxBytes {
		return at, false
	}
	twice := false
	end, err := rawjson.WalkObject(body, i, func(key rawjson.Span, from int) (int, error) {
		end, err := rawjson.Skip(body, from)
		if err == nil && key.Of(body).Is("input") {
			twice = twice || at.End != 0
			at = rawjson.SpanOf(from, end)
		}
		return end, err
	})
	if err != nil || rawjson.Space(body, end) != len(body) || twice ||
		at.Of(body).Kind() != rawjson.Array {
		return at, false
	}
	return at, true
}
