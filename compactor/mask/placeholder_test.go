package mask

import (
	"fmt"
	"strings"
	"testing"

	"killick/rawjson"
	"killick/transcript"
	"killick/view"
)

func TestPlaceholders(t *testing.T) {
	c := transcript.NewCall(
		view.ToolCall{Name: "Read", Arguments: rawjson.Value(`"{\"file_path\":\"src/auth.go\"}"`)},
		0,
	)
	output := strings.Repeat("line of no interest\n", 60) +
		"src/auth.go calls VerifyToken in internal/token/verify.go, see https://example.com/rfc " +
		"and commit 4f9c2e1a\n"
	got := placeholder(output, 1234, &c, "k7q2", false)
	want := "[Output masked to save context: 1,234 tokens from Read(src/auth.go). Repeat the " +
		"call if its content is needed. ref=k7q2 " +
		"It named: VerifyToken, internal/token/verify.go, https://example.com/rfc, 4f9c2e1a]"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	got = placeholder(output, 1234, &c, "k7q2", true)
	want = strings.Replace(want, "is needed.",
		"is needed, or call killick_expand with the ref, if you have that tool.", 1)
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	// The call may place an order: to repeat it could place another one.
	order := transcript.NewCall(
		view.ToolCall{Name: "create_order", Arguments: rawjson.Value(`"{\"sku\":\"A-1\"}"`)}, 0)
	got = placeholder("ok", 200, &order, "", false)
	want = "[Output masked to save context: 200 tokens from create_order(A-1). Repeat the call " +
		"if its content is needed, unless that has side effects.]"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	got = placeholder("ok", 200, &order, "k7q2", true)
	want = "[Output masked to save context: 200 tokens from create_order(A-1). If its content is " +
		"needed, call killick_expand with the ref, if you have that tool, or repeat the call, " +
		"unless that has side effects. ref=k7q2]"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	// To read on in a session is to read what is new.
	poll := transcript.NewCall(view.ToolCall{Name: "write_stdin",
		Arguments: rawjson.Value(`"{\"session_id\":7,\"chars\":\"\"}"`)}, 0)
	got = placeholder("ok", 200, &poll, "", false)
	want = "[Output masked to save context: 200 tokens from write_stdin(session_id=7).]"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	c.Status = transcript.Failed
	got = placeholder("Error: x", 200, &c, "", true)
	if !strings.Contains(got, "reported an error") ||
		strings.Contains(got, "ref=") || strings.Contains(got, "killick_expand") {
		t.Error(got)
	}
	c.Status = transcript.Refused
	got = placeholder("The user doesn't want this.", 200, &c, "", false)
	if !strings.Contains(got, "not let run") || strings.Contains(got, "error") ||
		strings.Contains(got, "Repeat") {
		t.Error(got)
	}
}

// Of an object the members that are shown are whole, and their names are no references.
func TestPlaceholdersOfObjects(t *testing.T) {
	c := transcript.NewCall(
		view.ToolCall{Name: "get_order", Arguments: rawjson.Value(`"{\"id\":\"K7\"}"`)}, 0)
	output := `{"customer_name": "Ida", "shipping_address": "Quay 7, Husum", "order_total": 1188,` +
		strings.Repeat(` "line_items": [{"sku_code": "sofa_bed"}],`, 20) +
		` "paid_amount": 0, "order_status": "open"}`
	got := placeholder(output[:len(output)-1]+strings.Repeat(" ", 60)+"}", 300, &c, "", false)
	want := "[Output masked to save context: 300 tokens from get_order(K7). Repeat the call if " +
		"its content is needed, unless that has side effects. It named: sofa_bed It said: " +
		"customer_name: Ida; shipping_address: Quay 7, Husum; […]; order_status: open]"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The objects of a list are named as far as that is short: the next calls may work through them.
func TestPlaceholdersOfLists(t *testing.T) {
	c := transcript.NewCall(view.ToolCall{Name: "list_deals", Arguments: rawjson.Value(`"{}"`)}, 0)
	for _, test := range []struct{ rows, tokens, want int }{
		{40, 600, 20}, {40, 2000, 40}, {2 * maxKeys, 60 * maxKeys, maxKeys},
	} {
		rows := make([]string, test.rows)
		for i := range rows {
			rows[i] = fmt.Sprintf(`{"id":"deal_%d","stage":"New","owner":"Kim"}`, 100+i)
		}
		output := `{"data":[` + strings.Join(rows, ",") + `]}`
		shown := placeholder(output, test.tokens, &c, "", false)
		if got := strings.Count(shown, "deal_"); got != test.want {
			t.Errorf("of %d objects in %d tokens %d are named, want %d", test.rows, test.tokens,
				got, test.want)
		}
	}
}

// A long text is indexed; the answers are the same.
func TestWordsInLongTexts(t *testing.T) {
	long := strings.Repeat("some text with lib/a.go and other_name; ", longCall/20) + "last_word"
	for _, word := range []string{"lib/a.go", "a.go and", "last_word", "lib/b.go", "é", "word;"} {
		if got, want := in(long)(word), strings.Contains(long, word); got != want {
			t.Errorf("%q: %t, want %t", word, got, want)
		}
	}
}

// What a placeholder quotes is not named again, nor are the numbers of a series.
func TestPlaceholdersOfTables(t *testing.T) {
	c := transcript.NewCall(
		view.ToolCall{Name: "find_flights", Arguments: rawjson.Value(`"{\"to\":\"HAN\"}"`)}, 0)
	prices := ""
	for i := range 40 {
		prices += fmt.Sprintf(`{"price":%d},`, 3100000+7*i)
	}
	got := placeholder(`{"best":"VN-206A","flights":[`+prices+`{"code":"QH7XKP-9"}]}`, 900, &c, "",
		false)
	want := "[Output masked to save context: 900 tokens from find_flights(HAN). Repeat the call " +
		"if its content is needed, unless that has side effects. It named: QH7XKP-9 It said: " +
		"best: VN-206A; flights: […]]"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
