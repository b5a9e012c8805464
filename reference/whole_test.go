package reference

import (
	"slices"
	"testing"
)

// A name is yielded whole or not at all: a part of one is a name that nobody wrote.
func TestNamesAreWhole(t *testing.T) {
	for text, want := range map[string][]string{
		"see .github/workflows/ci.yml, .eslintrc.json and (.env.local).": {
			".github/workflows/ci.yml 4", ".eslintrc.json 4", ".env.local 4"},
		"-c=.golangci.yml ./.venv/bin/python a/.git/HEAD": {
			".golangci.yml 4", "./.venv/bin/python 4", "a/.git/HEAD 4"},
		"x.\n.ServeHTTP() ...src/a.go": {"ServeHTTP 2", "src/a.go 4"},
		"@acme/ui-kit and @app.route":  {"@acme/ui-kit 4", "app.route 4"},
		// patterns, but not what stands in bold
		"**/*_test.go *.test.ts **src/main.go**": {"src/main.go 4"},
		// the end of the context in the header of a hunk, if git cut it
		"@@ -140,7 +140,7 @@ func compactAssistantEntry(entry kiroHistoryEntry, nextUserContent " +
			"json.RawMessa\n base := line_of(a)": {"compactAssistantEntry 2",
			"kiroHistoryEntry 2", "nextUserContent 2", "line_of 2"},
		"@@ -1,7 +1,7 @@ func compact(entry json.RawMessage\n": {"json.RawMessage 2"},
		"@@ -140,7 +140,7 @@ func compactAssistantEntry(entry kiroHistoryEntry, nextUserContent " +
			"json.RawMessa": {"compactAssistantEntry 2", "kiroHistoryEntry 2", "nextUserContent 2"},
		// ends of lines in strings of PowerShell
		"\"x`r`nbuilder.Append`r`nNewThing\" `newBuilder`": {"newBuilder 2"},
		// classes of characters
		"[a-zA-Z0-9_]+ [A-Za-z_] a-zA-Z_v2":             {"a-zA-Z_v2 2"},
		"[а-яА-ЯёЁ] [A-Za-zА-Яа-яЁё0-9_]+ а-яА-Я_итог2": {"а-яА-Я_итог2 2"},
		// variables and routes
		"$DIR/x.go ${DIR}/y.go $(pwd)/z.go app/$id.tsx": nil,
		"/w/app/[id]/page.tsx (group)/layout.tsx":       nil,
		"src/routes/+page.svelte":                       {"src/routes/+page.svelte 4"},
		"see [it](/docs/a.md)":                          {"/docs/a.md 4"},
		"a%20b_report.pdf %s=max_items":                 {"max_items 2"},
		// letters of scripts with spaces between words
		"résumé_v2.pdf src/façade.ts файл_2.pdf": {
			"résumé_v2.pdf 4", "src/façade.ts 4", "файл_2.pdf 4"},
		"в «проект/отчёт_за_май.py», ./Ελλάδα/α.md и .настройки.yml.": {
			"проект/отчёт_за_май.py 4", "./Ελλάδα/α.md 4", ".настройки.yml 4"},
		"Функция РассчитатьИтог(строки, налог_1), zähleEinträge, tínhTổng_2": {
			"РассчитатьИтог 2", "налог_1 2", "zähleEinträge 2", "tínhTổng_2 2"},
		"résumé.pdf ÉTAT ÉTAT_2": {
			"résumé.pdf 4", "ÉTAT_2 2"}, // letters and marks
		"и/или Größe/Länge т.е. 350мкс 12кВт г.Москва Если ПОЗЖЕ": nil,
		"a=имя_файла&b=ХХ%20ХХ": nil,
		"a=имя_файла&b=Х_Файл":  {"имя_файла 2", "Х_Файл 2"},
		"ﬁle_a.go ｆile_b.go":    nil, // compatibility forms, which references are not made of
		// letters that references are not made of, but not scripts without spaces
		"修改src/main.go文件 main_test.go를": {"src/main.go 4", "main_test.go 4"},
		"اختبارات/test_حساب.py::test_راتب حساب.py::test_0 結算_test.go 价格-old_v2.go main_测试": nil,
		"看./a.go、../b.go和/srv/c.go。订单ORDER_7的main.go里": {
			"./a.go 4", "../b.go 4", "/srv/c.go 4", "ORDER_7 2", "main.go 4"},
		// nor a part of a number
		"10117٫48 2٬48151623 ٣48151623 48151623８":                                       nil,
		"14650,48 € 12345\u202f678 0171 2345678 14’38045 +49 171 23456789 12345 678,90": nil,
		"48151623,48151624,7, 48151625, 48151626: 20 pcs, 120 of 48151627.": {"48151623 1",
			"48151624 1", "48151625 1", "48151626 1", "48151627 1"},
		"编号48151623，编号48151624": {"48151623 1", "48151624 1"},
		// the sides of a diff
		"diff --git a/x/y.go b/x/y.go\n--- a/x/y.go\n+++ b/x/y.go\n+ b/z.go": {
			"x/y.go 4", "x/y.go 4", "x/y.go 4", "x/y.go 4", "b/z.go 4"},
	} {
		if got := wordsOf(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
