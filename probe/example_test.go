package probe_test

import (
	"fmt"

	"killick/chat"
	"killick/probe"
	"killick/view"
)

func conversation() []view.Message {
	var msgs []view.Message
	for _, raw := range []string{
		`{"role":"user","content":"Fix the login. The server listens on port 8443."}`,
		`{"role":"assistant","content":` +
			`"The hash comparison in src/auth.go was wrong. I fixed it."}`,
	} {
		m, err := chat.ParseMessage([]byte(raw))
		if err != nil {
			panic(err)
		}
		msgs = append(msgs, m)
	}
	return msgs
}

func ExampleIndex_Ground() {
	x := probe.NewIndex(conversation(), 1)
	kept, dropped := x.Ground([]probe.Statement{
		{Text: "The wrong hash comparison in src/auth.go is fixed.", Messages: []int{2},
			Quote: "The hash comparison in src/auth.go was wrong."},
		{Text: "The server listens on port 8446.", Messages: []int{1},
			Quote: "The server listens on port 8443."},
		{Text: "Bananas sing to the moon.", Messages: []int{1}, Quote: "Fix the login."},
	})
	for _, s := range kept {
		fmt.Println("kept:", s.Text)
	}
	for _, d := range dropped {
		fmt.Println(d.Reason+":", d.Statement.Text)
	}
	// Output:
	// kept: The wrong hash comparison in src/auth.go is fixed.
	// value not found: The server listens on port 8446.
	// words not found: Bananas sing to the moon.
}

func ExampleIndex_Locate() {
	x := probe.NewIndex(conversation(), 1)
	located := x.Locate([]probe.Statement{{Text: "src/auth.go is fixed.",
		Quote: "in src/auth.go was wrong"}})
	fmt.Println(located[0].Messages)
	// Output: [2]
}

func ExampleGrade() {
	x := probe.NewIndex(conversation(), 1)
	questions, _ := x.Accept([]probe.Question{
		{Category: probe.Recall, Text: "Which port does the server listen on?", Expected: "8443"},
		{Category: probe.Artifact, Text: "Which file was wrong?", Expected: "src/auth.go"},
	})
	report, err := probe.Grade(questions, []string{"port 8443", "UNKNOWN"}, nil, probe.Thresholds{})
	fmt.Printf("%s %.2f %v\n", report.Verdict, report.Score, err)
	// Output: soft_fail 0.56 <nil>
}
