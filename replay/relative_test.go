package replay

import (
	"strings"
	"testing"
)

func TestPathsRelativeToAStatedFolderCount(t *testing.T) {
	record := "[A record]\nPaths in /home/ann/shop are written without it.\n"
	stated := "[A record]\nPaths in /home/ann/shop/ are written without it.\n- cart/price.go — " +
		"Edit (3), /etc/hosts\n"
	if got := string(withWholePaths([]byte(record))); got != record {
		t.Errorf("a folder that is not stated as one: %q", got)
	}
	got := string(withWholePaths([]byte(stated)))
	if !strings.HasPrefix(got, stated) ||
		!strings.Contains(got, "\n/home/ann/shop/cart/price.go") ||
		strings.Contains(got, "shop//etc") {
		t.Errorf("got %q", got)
	}
}
