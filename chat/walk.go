package chat

import "errors"

// errStop ends a walk early; it never leaves the package.
var errStop = errors.New("stop")

// walkObject walks the object that starts at i and returns the offset just past it. For each
// member, value receives the offset of its value and returns the end, so that each byte is scanned
// once even in nested walks.
func walkObject(b []byte, i int, value func(key span, at int) (int, error)) (int, error) {
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	return walkMembers(b, i, value)
}

// walkMembers is walkObject starting at the key at i.
func walkMembers(b []byte, i int, value func(key span, at int) (int, error)) (int, error) {
	for {
		if i >= len(b) || b[i] != '"' {
			return i, errSyntax
		}
		key := span{start: i}
		var err error
		if key.end, err = skipString(b, i); err != nil {
			return key.end, err
		}
		if i = space(b, key.end); i >= len(b) || b[i] != ':' {
			return i, errSyntax
		}
		if i, err = value(key, space(b, i+1)); err != nil {
			return i, err
		}
		if i, err = nextItem(b, i, '}'); err != nil || b[i-1] == '}' {
			return i, err
		}
		i = space(b, i)
	}
}

// walkArray is walkObject for the elements of an array.
func walkArray(b []byte, i int, value func(at int) (int, error)) (int, error) {
	i = space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	return walkElements(b, i, value)
}

// walkElements is walkArray starting at the element at i.
func walkElements(b []byte, i int, value func(at int) (int, error)) (int, error) {
	for {
		var err error
		if i, err = value(i); err != nil {
			return i, err
		}
		if i, err = nextItem(b, i, ']'); err != nil || b[i-1] == ']' {
			return i, err
		}
		i = space(b, i)
	}
}

// nextItem advances past the comma or the closing byte that must follow an item; at the returned
// offset i, b[i-1] is the byte it passed.
func nextItem(b []byte, i int, closing byte) (int, error) {
	i = space(b, i)
	if i >= len(b) || b[i] != ',' && b[i] != closing {
		return i, errSyntax
	}
	return i + 1, nil
}
