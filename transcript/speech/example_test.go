package speech_test

import (
	"fmt"

	"killick/chat"
	"killick/transcript/speech"
)

func Example() {
	raw := []byte(`{"role":"user","content":
		"<system-reminder>Today is Sunday.</system-reminder>\nFix the login.\n> it hangs"}`)
	message, err := chat.ParseMessage(raw)
	if err != nil {
		panic(err)
	}
	m := speech.Read(&message, nil)
	fmt.Printf("%s: %q\n", m.Speaker, m.Words())
	for _, s := range m.Spans {
		fmt.Printf("%q: typed %v\n", m.Text[s.Start:s.End], s.Kind.Typed())
	}
	// Output:
	// user: "Fix the login.\n> it hangs"
	// "<system-reminder>Today is Sunday.</system-reminder>": typed false
	// "\nFix the login.\n": typed true
	// "> it hangs": typed true
}
