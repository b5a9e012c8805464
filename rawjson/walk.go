package rawjson

// WalkObject walks the object that starts at i and returns the offset just past it. For each
// member, value receives the offset of its value and returns the end, so that each byte is scanned
// once even in nested walks.
func WalkObject(b []byte, i int, value func(key Span, at int) (int, error)) (int, error) {
	i = Space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	return walkMembers(b, i, value)
}

// walkMembers is WalkObject starting at the key at i.
func walkMembers(b []byte, i int, value func(key Span, at int) (int, error)) (int, error) {
	for {
		if i >= len(b) || b[i] != '"' {
			return i, ErrSyntax
		}
		end, err := skipString(b, i)
		if err != nil {
			return end, err
		}
		key := SpanOf(i, end)
		if i = Space(b, end); i >= len(b) || b[i] != ':' {
			return i, ErrSyntax
		}
		if i, err = value(key, Space(b, i+1)); err != nil {
			return i, err
		}
		if i, err = nextItem(b, i, '}'); err != nil || b[i-1] == '}' {
			return i, err
		}
		i = Space(b, i)
	}
}

// WalkArray is WalkObject for the elements of an array.
func WalkArray(b []byte, i int, value func(at int) (int, error)) (int, error) {
	i = Space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	return walkElements(b, i, value)
}

// WalkRun is WalkArray for elements that are all of b, without brackets.
func WalkRun(b []byte, value func(at int) (int, error)) error {
	for at := 0; ; {
		end, err := value(at)
		if err != nil {
			return err
		}
		if end = Space(b, end); end == len(b) {
			return nil
		}
		if b[end] != ',' {
			return ErrSyntax
		}
		at = Space(b, end+1)
	}
}

// walkElements is WalkArray starting at the element at i.
func walkElements(b []byte, i int, value func(at int) (int, error)) (int, error) {
	for {
		var err error
		if i, err = value(i); err != nil {
			return i, err
		}
		if i, err = nextItem(b, i, ']'); err != nil || b[i-1] == ']' {
			return i, err
		}
		i = Space(b, i)
	}
}

// nextItem advances past the comma or the closing byte that must follow an item; at the returned
// offset i, b[i-1] is the byte it passed.
func nextItem(b []byte, i int, closing byte) (int, error) {
	i = Space(b, i)
	if i >= len(b) || b[i] != ',' && b[i] != closing {
		return i, ErrSyntax
	}
	return i + 1, nil
}
