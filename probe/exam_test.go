package probe

import (
	"slices"
	"strings"
	"testing"
)

const examTalk = `
user: Add an index to the orders table. The service listens on port 8080. Never push to main.
assistant: I'll look at the schema. We'll use a partial index instead of a full index because the table is large.
tool read_file {"path":"db/schema/orders.sql"} => CREATE TABLE orders (id bigint, customer_id bigint);
 -- ticket SHOP-4711, see https://wiki.example.org/orders/index, timeout 300s, batches of 12000 rows, commit 9f31c0de77ab12
tool edit_file {"path":"db/migrations/0007_orders_index.sql"} => ok
tool bash {"command":"cd web && ls\ncat main.tsx"} => main.tsx
tool TaskCreate {"subject":"Write the index migration"} => Task #1 created successfully: Write the index migration
tool TaskCreate {"subject":"Measure the slow customer query"} => Task #2 created successfully: Measure the slow customer query
tool TaskUpdate {"taskId":"1","status":"completed"} => Updated task #1 status
tool bash {"command":"go build ./... && go test ./..."} => --- FAIL: TestOrders (0.01s)
 FAIL	shop/db	0.031s
assistant: The migration is written; TestOrders fails since the fixture has no customer.`

const examRecord = `The user wants an index on the orders table; the service listens on port 8080.
Never push to main.
A partial index is used instead of a full index, because the table is large.
Changed db/migrations/0007_orders_index.sql.
Done: write the index migration. Still open: measure the slow customer query.
"go test" fails: --- FAIL: TestOrders. The fixture has no customer.`

func TestExamFindsInventions(t *testing.T) {
	exam := Prepare(script(t, examTalk), Config{})
	if r := exam.Ask(examRecord); r.Verdict != Pass || len(r.Invented)+len(r.Turned) > 0 {
		t.Fatalf("the true record: %s, %+v, %+v\n%s", r.Verdict, r.Invented, r.Turned, failed(r))
	}
	for _, tt := range []struct {
		line    string
		kind    Kind // "" for none
		altered bool
	}{
		// Known, in these or other words.
		{"See orders.sql and schema/orders.sql.", "", false},
		{"The page is web/main.tsx.", "", false}, // a folder and a file that were seen apart
		{"Ticket SHOP-4711.", "", false},
		{"The timeout is 5 minutes.", "", false},
		{"The timeout is 300 s.", "", false},
		{"Batches have 12,000 rows, or 12k.", "", false},
		{"Commit 9f31c0d.", "", false},
		{"https://wiki.example.org/orders/index tells more.", "", false},
		{"Three files of 17 were read.", "", false},
		{"It happened on 2031-02-03 at 11:45.", "", false},
		{"All *.sql files, and src/{a,b}.go.", "", false},
		// Not known.
		{"Changed services/ledger/quota_sync.go.", Path, false},
		{"Changed db/migrations/old/0007_orders_index.sql.", Path, true},
		{"Changed db/migrations/0007_orders_index_v2.sql.", Path, true},
		{"Ticket SHOP-4712.", Identifier, true},
		{"Ticket HARBOUR-9921.", Identifier, false},
		{"The user is lantern_voucher_9.", Identifier, false},
		{"Commit 5e0bb1a.", Identifier, false},
		{"https://other.example.net/x tells more.", URL, false},
		{"The timeout is 451 s.", Number, false},
		{"Batches of 12001 rows.", Number, true},
		{"The team chose Kafka over RabbitMQ for events.", Choice, false},
	} {
		r := exam.Ask(examRecord + "\n" + tt.line)
		switch {
		case tt.kind == "" && len(r.Invented) > 0:
			t.Errorf("%s: invented %+v", tt.line, r.Invented)
		case tt.kind == "":
		case !slices.ContainsFunc(r.Invented, func(i Invention) bool { return i.Kind == tt.kind && i.Altered == tt.altered }):
			t.Errorf("%s: got %+v, want one of %s, altered %t", tt.line, r.Invented, tt.kind, tt.altered)
		case r.Verdict == Pass, tt.altered && (r.Verdict != HardFail || !r.Vetoed):
			t.Errorf("%s: %s, vetoed %t", tt.line, r.Verdict, r.Vetoed)
		}
	}
	if r := exam.Ask(examRecord + "\nSee a/b/one.go, c/d/two.go and e/f/three.go."); r.Verdict != HardFail {
		t.Errorf("three inventions: %s, want a hard fail", r.Verdict)
	}
}

// A short number is known by what stands beside it: a listing has them all.
func TestShortNumbersNeedEvidence(t *testing.T) {
	exam := Prepare(script(t, `
user: Keep the upload quota at 640 MB.
assistant: The queue holds 250 jobs.
tool read_file {"path":"cache.go"} =>    834	func fill() {
    835	cache := 17
 main.go:836: limit
 10:35:41.837 started, 2026-838
 -rw-r--r-- 839M dump
 request timeout: 840
 retries = 841
 842 kB
 {"price": 843}`), Config{})
	for _, tt := range []struct {
		line  string
		known bool
	}{
		{"The upload quota is 640 MB.", true},
		{"The upload quota is 0.64 GB.", true},
		{"The service waits for 250 ms.", true}, // said, whatever of
		{"The cache is limited to 834 MB.", false},
		{"The cache is limited to 835 MB.", false}, // the line that speaks of a cache
		{"The cache is limited to 836 MB.", false},
		{"The cache is limited to 837 MB.", false},
		{"The cache is limited to 838 MB.", false},
		{"The dump has 839 MB.", true},
		{"The request timeout is 840 seconds.", true},
		{"The request timeout is 14 minutes.", true},
		{"The response timeout is 840 seconds.", true}, // of a timeout in any case
		{"The worker sleeps 841 ms.", false},
		{"The worker sleeps 842 ms.", false},
		{"The file has 842 KB.", true},
		{"The price is $843.", true},
		{"The seat costs $843.", true}, // no list of prices names the unit
		{"The seat costs $842.", false},
	} {
		r := exam.Ask(tt.line)
		if unknown := slices.ContainsFunc(r.Invented, func(i Invention) bool { return i.Kind == Number }); unknown == tt.known {
			t.Errorf("%s: known %t, want %t: %+v", tt.line, !unknown, tt.known, r.Invented)
		}
	}
}

func TestExamFindsWhatIsTurnedRound(t *testing.T) {
	exam := Prepare(script(t, examTalk), Config{})
	for _, twist := range [][2]string{
		{"Never push to main.", "Go ahead and push to main."},
		{"A partial index is used instead of a full index", "A full index is used instead of a partial index"},
		{"Done: write the index migration.", "Still open: write the index migration."},
		{"Still open: measure the slow customer query.", "Measure the slow customer query (completed)."},
		{`"go test" fails: --- FAIL: TestOrders.`, `"go test" went through without errors.`},
		{`"go test" fails: --- FAIL: TestOrders.`, "All tests pass."},
	} {
		if !strings.Contains(examRecord, twist[0]) {
			t.Fatalf("the record does not hold %q", twist[0])
		}
		if r := exam.Ask(strings.Replace(examRecord, twist[0], twist[1], 1)); r.Verdict != HardFail || !r.Vetoed {
			t.Errorf("%q: %s, vetoed %t; want a veto\n%s", twist[1], r.Verdict, r.Vetoed, told(r))
		}
	}
	if r := exam.Ask(examRecord + "\nThe user asked to make sure that all tests pass."); r.Verdict != Pass {
		t.Errorf("what is wished is no report: %s\n%+v", r.Verdict, r.Turned)
	}
}

func TestOutcomesAreDrawn(t *testing.T) {
	var got []string
	for _, q := range Draw(script(t, examTalk), Config{}) {
		if q.Kind == Outcome {
			got = append(got, q.Expected)
		}
	}
	for _, want := range []string{"go test: failed", "Write the index migration: done", "Measure the slow customer query: not done yet"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not asked for: %q", want, got)
		}
	}
}

func TestTodoListsWrittenWhole(t *testing.T) {
	talk := `
user: Clean the build up.
tool TodoWrite {"todos":[{"content":"Drop the old makefile","status":"completed"},{"content":"Pin the compiler","status":"in_progress"}]} => ok
tool bash {"command":"mise run lint && mise run test:ci"} => Exit code 1
 [lint] ERROR task failed`
	var got []string
	for _, q := range Draw(script(t, talk), Config{}) {
		if q.Kind == Outcome {
			got = append(got, q.Expected)
		}
	}
	slices.Sort(got)
	if want := []string{"Drop the old makefile: done", "Pin the compiler: not done yet", "mise run lint: failed"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func BenchmarkExam(b *testing.B) {
	msgs := session(b, 1<<20)
	record := prose(session(b, 12<<10))
	b.ReportAllocs()
	b.SetBytes(1 << 20)
	for b.Loop() {
		Prepare(msgs, Config{}).Ask(record)
	}
}

func BenchmarkVocabulary(b *testing.B) {
	msgs := session(b, 1<<20)
	b.ReportAllocs()
	b.SetBytes(1 << 20)
	for b.Loop() {
		var v vocabulary
		v.spell("src/panels/panel9999.go")
		v.read(msgs)
	}
}
