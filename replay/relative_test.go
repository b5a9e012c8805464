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

// Each line of a record shows what its own names belong to: a path beside a call is located under
// its absolute name too, a path in a list of paths is not.
func TestPathsRelativeToAStatedFolderAreLocated(t *testing.T) {
	messages := []string{msg("user", "do it"), call("1", `{"path":"/home/ann/shop/cart.go"}`),
		result("1", "ok")}
	for range 6 {
		messages = append(messages, msg("assistant", "ok"), msg("user", "go on"))
	}
	messages = append(messages, call("2", `{"path":"/home/ann/shop/cart.go"}`))
	const folder = `Paths in /home/ann/shop/ are written without it.\n`
	for record, kept := range map[string]int{
		folder + "- edit (2): cart.go": 1,
		folder + "- cart.go util.go":   0,
		"- edit (2): cart.go":          0,
	} {
		f := measure(t, study(t, say{}, messages...),
			replacing(3, "do it", record, "shop", "x", "cart.go\"}", "x\"}"))
		if want := (Kept{1, kept}); f.Recall.Located != want {
			t.Errorf("%q: located recall %+v, want %+v", record, f.Recall.Located, want)
		}
	}
}
