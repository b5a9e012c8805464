package rawjson

// Without returns an object without its members of a name and the space around them; every other
// byte stays. A value that is not an object is returned unchanged.
func (v Value) Without(name string) Value {
	if v.Kind() != Object {
		return v
	}
	var out Value
	from := 0        // what is kept of v[:from] is in out
	end := len("{")  // the end of the previous member, or of the brace
	kept := false    // an earlier member was kept
	dropped := false // the previous member was dropped
	_, _ = WalkObject(v, 0, func(key Span, at int) (int, error) {
		valueEnd, err := Skip(v, at)
		if err != nil {
			return valueEnd, err
		}
		switch drop := key.Of(v).Is(name); {
		case drop && !dropped:
			out = append(out, v[from:end]...)
			from = end
			dropped = true
		case !drop && dropped:
			from = int(key.Start)
			if kept {
				out = append(out, ',')
			}
			dropped, kept = false, true
		case !drop:
			kept = true
		}
		end = valueEnd
		return valueEnd, nil
	})
	if dropped {
		from = end
	}
	if from == 0 {
		return v
	}
	return append(out, v[from:]...)
}
