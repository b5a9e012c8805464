package probe

import "testing"

func TestCover(t *testing.T) {
	record := "## Files\nwritten: src/auth.go, lib/b.go\n## Requests\n“Never push to Main” (3)\n检查订单"
	items := []Item{
		{FileItem, []string{"src/auth.go"}},
		{FileItem, []string{"auth.g"}},    // a part of a name
		{FileItem, []string{"a.go"}},      // likewise
		{FileItem, []string{"x", "b.go"}}, // any of the texts
		{RequestItem, []string{"never  push\nto main"}},
		{PinItem, []string{"kept beside"}},
		{TodoItem, []string{"订单"}},
		{TaskItem, nil},
		{FailingItem, []string{""}},
	}
	c, missing := Cover(items, record, "is kept beside it")
	if c != (Coverage{Held: 5, Of: 9}) || len(missing) != 4 || missing[0].Texts[0] != "auth.g" || missing[3].Kind != FailingItem {
		t.Errorf("%+v, missing %v", c, missing)
	}
	if c, missing := Cover(nil, ""); c.Score() != 1 || missing != nil {
		t.Errorf("of nothing: %v, missing %v", c.Score(), missing)
	}
	if s := (Coverage{1, 4}).Score(); s != 0.25 {
		t.Errorf("score %v, want 0.25", s)
	}
}
