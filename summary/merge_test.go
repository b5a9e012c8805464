package summary

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"killick/transcript"
)

// busy returns a conversation with files, commands, todo items and requests, and the messages at
// which it may be folded.
func busy(seed uint64, n int) (msgs []string, at []int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	msgs = []string{user("Mend the oven of the bakery in the harbour, please.")}
	tasks := 0
	for i := range n {
		at = append(at, len(msgs))
		file := fmt.Sprintf(`{"file_path":"/srv/bakery/oven/f%d.go","old_string":"a",`+
			`"new_string":"b"}`, rng.IntN(9))
		switch rng.IntN(9) {
		case 0:
			msgs = talk(msgs, assistant(fmt.Sprintf("Step %d is done. Shall I go on?", i)),
				user([]string{"yes",
					fmt.Sprintf("Go on with step %d then, but leave the door alone.",
						i)}[rng.IntN(2)]))
		case 1:
			msgs = talk(msgs, call("Edit", file, "ok"))
		case 2:
			msgs = talk(msgs, call("Read", file, "package oven"))
		case 3:
			tasks++
			msgs = talk(msgs,
				call("TaskCreate", fmt.Sprintf(`{"subject":"Task %d","description":"x"}`, tasks),
					fmt.Sprintf("Task #%d created successfully: Task %d", tasks, tasks)))
		case 4:
			msgs = talk(msgs,
				call("TaskUpdate",
					fmt.Sprintf(`{"taskId":"%d","status":%q}`, 1+rng.IntN(tasks+1),
						[]string{"in_progress", "completed", "deleted"}[rng.IntN(3)]), "Updated"))
		case 5:
			msgs = talk(msgs,
				call("book", fmt.Sprintf(`{"seat":%d}`, rng.IntN(5)),
					fmt.Sprintf(`{"id":"R%d"}`, i)))
		default:
			msgs = talk(msgs,
				run(fmt.Sprintf("make part%d", rng.IntN(5)), fmt.Sprint(rng.IntN(2)),
					fmt.Sprintf("printed %d", i)))
		}
	}
	return msgs, at
}

// facts returns what a summary states, in an order that does not depend on how it was made.
func facts(t *testing.T, sum *Summary) (list []string) {
	t.Helper()
	add := func(what string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, what+string(text))
	}
	for _, f := range sum.Files {
		slices.SortFunc(f.Uses, func(a, b Use) int { return strings.Compare(a.Tool, b.Tool) })
		add("file ", f)
	}
	for _, o := range sum.Calls {
		add("call ", o)
	}
	for _, todo := range sum.Todos {
		add("todo ", todo)
	}
	for _, r := range sum.Reports {
		add("report ", r)
	}
	for _, w := range sum.Words {
		add("words ", w)
	}
	slices.Sort(list)
	add("state ", sum.State)
	add("last call ", sum.LastCall)
	return append(list, fmt.Sprint(sum.First, sum.Last, sum.Task, sum.Latest, sum.WordsLeftOut))
}

// Several folds state the same as one fold of all turns.
func TestFoldsAddUp(t *testing.T) {
	for seed := range uint64(20) {
		msgs, at := busy(seed, 70)
		want := facts(t, summarized(t, msgs))
		rng := rand.New(rand.NewPCG(seed, 5))
		for range 4 {
			var folds []int
			for _, i := range at {
				if rng.IntN(8) == 0 {
					folds = append(folds, i)
				}
			}
			got := facts(t, summarized(t, msgs, folds...))
			for _, f := range want {
				if !slices.Contains(got, f) {
					t.Errorf("conversation %d, folded at %v: %s is missing", seed, folds, f)
				}
			}
			for _, f := range got {
				if !slices.Contains(want, f) {
					t.Errorf("conversation %d, folded at %v: %s is stated", seed, folds, f)
				}
			}
		}
	}
}

// A task that was created in an earlier fold is updated by a later one.
func TestTasksAcrossFolds(t *testing.T) {
	create := func(id, subject string) []string {
		return call("TaskCreate", `{"subject":"`+subject+`"}`,
			"Task #"+id+" created successfully: "+subject)
	}
	update := func(id, status string) []string {
		return call("TaskUpdate", `{"taskId":"`+id+`","status":"`+status+`"}`, "Updated task #"+id)
	}
	msgs := talk(began, create("1", "Heat the oven"), create("2", "Bake"), create("3", "Sell"),
		update("1", "in_progress"))
	first := len(msgs)
	msgs = talk(msgs, update("1", "completed"), update("2", "in_progress"),
		update("9", "completed"), update("3", "deleted"))
	for _, folds := range [][]int{nil, {first}, {first, first + 2}, {3, 5, first}} {
		sum := summarized(t, msgs, folds...)
		want := transcript.Todos{{ID: "1", Text: "Heat the oven", Status: transcript.TodoDone,
			At: 9}, {ID: "2", Text: "Bake", Status: transcript.TodoActive, At: 11}}
		if !slices.Equal(sum.Todos, want) {
			t.Errorf("folded at %v: %+v, want %+v", folds, sum.Todos, want)
		}
		record := sum.Render(wide)
		if got := linesUnder(record, TitleNext); !slices.Equal(got,
			[]string{"- todo #2 in progress (12): Bake"}) {
			t.Errorf("folded at %v: next %q", folds, got)
		}
		if got := linesUnder(record, TitleDone); !slices.Equal(got,
			[]string{"- todo #1 done (10): Heat the oven"}) {
			t.Errorf("folded at %v: completed %q", folds, got)
		}
	}
}

// A call that failed in an earlier fold is resolved only by the same call in a later one.
func TestOutcomesAcrossFolds(t *testing.T) {
	msgs := talk(began, run("npx playwright test --project=firefox", "1", "1 failed"),
		run("make", "2", "FAIL"))
	first := len(msgs)
	msgs = talk(msgs, run("npx playwright test --project=webkit", "0", "3 passed"),
		run("make", "0", "ok"))
	for _, folds := range [][]int{nil, {first}, {3, first}} {
		record := summarized(t, msgs, folds...).Render(wide)
		if got := linesUnder(record, TitleOpen); !slices.Equal(got,
			[]string{"- 2 Bash(npx playwright test --project=firefox) → exit code 1; it " +
				"returned: 1 failed"}) {
			t.Errorf("folded at %v: open %q", folds, got)
		}
		if got := linesUnder(record, TitleCommands); len(got) != 2 ||
			got[0] != "- 8 Bash(make) → exit code 0, made 2 times, 1 failed; it returned: ok" {
			t.Errorf("folded at %v: commands %q", folds, got)
		}
	}
}

// The same call may be about another page each time: where it failed is stated, also if a later one
// did not.
func TestTheLastFailureIsStated(t *testing.T) {
	const args = `{"element":"Price","ref":"e33","text":"19.90"}`
	typed := func(result string) []string { return call("browser_type", args, result) }
	msgs := talk(began, typed("### Page\n- saved"), typed("### Error\nTimeout"))
	first := len(msgs)
	msgs = talk(msgs, typed("### Page\n- saved"))
	want := []string{"- 6 browser_type(element=Price, ref=e33, text=19.90), made 3 times, " +
		"1 failed (last: 4) → ### Page - saved"}
	for _, folds := range [][]int{nil, {first}, {3, first}} {
		record := summarized(t, msgs, folds...).Render(wide)
		if got := linesUnder(record, TitleData); !slices.Equal(got, want) {
			t.Errorf("folded at %v: %q, want %q", folds, got, want)
		}
	}
}

// What a call returned of a file that may be the report of a failure is stated, unless a later run
// of the same call returned the file.
func TestReadsThatMayHaveFailed(t *testing.T) {
	const args = `{"file":"scan.pdf"}`
	failed := talk(began, call("read_invoice", args, `{"error":"The scan has 72 dpi"}`))
	again := talk(failed, call("read_invoice", args, `{"net":"12.30"}`))
	for _, c := range []struct {
		msgs []string
		fold int
		want []string
	}{
		{failed, 0, []string{"- 2 read_invoice(scan.pdf) → error: The scan has 72 dpi"}},
		{again, 0, nil},
		{again, 3, nil},
	} {
		folds := []int{c.fold}[:min(c.fold, 1)]
		got := linesUnder(summarized(t, c.msgs, folds...).Render(wide), TitleData)
		if !slices.Equal(got, c.want) {
			t.Errorf("folded at %v: got %q, want %q", folds, got, c.want)
		}
	}
}

// A separate record lists the items of the todo list that were done in its turns; those before are
// in the records before it. Agents send the whole list again for each change.
func TestItemsDoneAreListedOnce(t *testing.T) {
	list := func(first, second string) []string {
		return call("TodoWrite", `{"todos":[{"content":"clean it","status":"`+first+
			`"},{"content":"heat it","status":"`+second+`"}]}`, "ok")
	}
	src := sourceOf(t, talk(began, list("pending", "pending"), list("completed", "pending"),
		run("make oven", "0", "hot"), list("completed", "completed")))
	calls := src.CallsBefore(len(src.Messages))
	before := Read(src, calls[:2], 0, 5, &Summary{})
	separate := Read(src, calls[2:], 5, len(src.Messages), &before)
	for _, c := range []struct {
		of   *Summary
		want []string
	}{
		{&before, []string{"- todo done (4): clean it"}},
		{&separate, []string{"- todo done (8): heat it"}},
	} {
		if got := linesUnder(c.of.Render(wide), TitleDone); !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	for _, c := range []struct {
		of   *Summary
		want string
	}{
		{&before, "- last call: 4 TodoWrite("},
		{&separate, "- last call beside those on the todo list: 6 Bash(make oven)"},
	} {
		if got := linesUnder(c.of.Render(wide), TitleState)[0]; !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// How often a tool named a file is counted however many others did in between.
func TestUsesOfFilesAreCountedWhole(t *testing.T) {
	const file = `"file_path":"/srv/bakery/oven.go"`
	edit := `{` + file + `,"old_string":"a","new_string":"b"}`
	msgs := []string{user("Mend the oven.")}
	write := func() { msgs = talk(msgs, call("Write", `{`+file+`,"content":"a\n"}`, "ok")) }
	write()
	for _, command := range []string{"sed -i s/a/b/ /srv/bakery/oven.go", "git checkout -- oven.go",
		"echo c >> /srv/bakery/oven.go", "git checkout -- /srv/bakery/oven.go"} {
		msgs = talk(msgs, run(command, "0", ""))
	}
	msgs = talk(msgs, call("Edit", edit, "ok"), call("Read", `{`+file+`}`, "b"))
	at := len(msgs)
	write()
	for _, folds := range [][]int{nil, {at}} {
		sum := summarized(t, msgs, folds...)
		record := sum.Render(Room{Summary: 4000, All: 8000})
		if want := fmt.Sprintf("Write 2× (last %d)", at+1); !strings.Contains(record, want) {
			t.Errorf("folded at %v: %q is not in\n%s", folds, want, record)
		}
	}
	var list fileList
	for i := range 2 * maxUses {
		list.add(File{Path: "a", Uses: []Use{{Tool: fmt.Sprint("t", i), Times: 1, Last: i}}})
	}
	list.add(File{Path: "a", Uses: []Use{{Tool: "t0", Times: 1, Last: 99}}})
	if files, _ := list.newestFirst(); len(files[0].Uses) != maxUses ||
		files[0].Uses[0] != (Use{Tool: "t0", Times: 2, Last: 99}) {
		t.Errorf("of many tools: %+v", files)
	}
}

// Where earlier files and calls were left out, those that are used again may have been among them.
func TestCountsAfterWhatWasLeftOut(t *testing.T) {
	msgs := []string{user("Mend the oven.")}
	edit := func(file string) {
		msgs = talk(msgs, call("Edit", fmt.Sprintf(`{"file_path":"/srv/%s.go","old_string":"a",`+
			`"new_string":"b"}`, file), "ok"))
	}
	use := func() {
		edit("oven")
		msgs = talk(msgs, run("make bread", "0", "warm"))
	}
	use()
	for i := range 2*maxEntries + 1 {
		edit(fmt.Sprint("f", i))
		msgs = talk(msgs, run(fmt.Sprint("make f", i), "0", "warm"))
	}
	at := len(msgs)
	edit("door")
	for range 2 {
		use()
	}
	last := len(msgs) - 1
	for folds, want := range map[string][]string{
		"one": {fmt.Sprintf("Edit 3× (last %d): oven.go", last-2),
			"make bread) → exit code 0, made 3 times"},
		"two": {fmt.Sprintf("Edit at least 2× (last %d): oven.go", last-2), "made at least 2 times",
			fmt.Sprintf("Edit (last %d): door.go", at+1)},
	} {
		sum := summarized(t, msgs)
		if folds == "two" {
			sum = summarized(t, msgs, at)
		}
		record := strings.ReplaceAll(sum.Render(Room{Summary: 4000, All: 8000}), "/srv/", "")
		for _, w := range want {
			if !strings.Contains(record, w) {
				t.Errorf("%s: %q is not in\n%s", folds, w, record)
			}
		}
	}
}

// The newest turns may have more calls than are kept: none of a call or a file that earlier turns
// name is dropped among them, since its last outcome and its count would be wrong.
func TestWhatEarlierTurnsNameIsNotLeftOut(t *testing.T) {
	msgs := []string{user("Mend the oven.")}
	edit := func(file string) {
		msgs = talk(msgs, call("Edit", fmt.Sprintf(`{"file_path":"/srv/%s.go","old_string":"a",`+
			`"new_string":"b"}`, file), "ok"))
	}
	read := func(file string) {
		msgs = talk(msgs, call("Read", fmt.Sprintf(`{"file_path":"/srv/%s.go"}`, file), "b"))
	}
	edit("oven")
	read("oven")
	msgs = talk(msgs, run("make bread", "2", "cold"))
	at := len(msgs)
	msgs = talk(msgs, run("make bread", "0", "warm"))
	settled := len(msgs)
	read("oven")
	for i := range 2*maxEntries + 1 {
		edit(fmt.Sprint("f", i))
		msgs = talk(msgs, run(fmt.Sprint("make f", i), "0", "warm"))
	}
	record := strings.ReplaceAll(summarized(t, msgs, at).Render(Room{Summary: 40_000, All: 40_000}),
		"/srv/", "")
	uses := fmt.Sprintf("Read 2× (last %d), Edit (2): oven.go", settled+1)
	if !strings.Contains(record, uses) {
		t.Errorf("%q is not in\n%s", uses, record)
	}
	if strings.Contains(record, "make bread) → exit code 2") {
		t.Errorf("a call that went well since is listed as failed:\n%s", record)
	}
}
