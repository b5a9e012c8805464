package prompt

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The instructions of the tasks. They follow the data.
var (
	//go:embed text/statements.txt
	statements string
	//go:embed text/questions.txt
	questions string // the maximum number is filled in
	//go:embed text/verify.txt
	verify string
	//go:embed text/answers.txt
	answers string
	//go:embed text/grades.txt
	grades string
)

// Identifiers is a policy on ids, hashes, addresses and the like.
type Identifiers string

// The policies.
const (
	KeepIdentifiers   Identifiers = "keep"   // copied verbatim
	RedactIdentifiers Identifiers = "redact" // left out
)

// Statements asks for statements about turns. guidance is the operator's, marked as
// such.
func Statements(identifiers Identifiers, guidance string) string {
	task := statements
	switch identifiers {
	case RedactIdentifiers:
		task += "- Leave identifiers out: ids, hashes, account and order numbers, host names, " +
			"addresses of people. Write what each of them identifies instead.\n"
	default:
		task += "- Copy identifiers character by character: paths, names, numbers with their " +
			"units, versions, ids, hashes, addresses.\n"
	}
	if guidance = strings.TrimSpace(guidance); guidance != "" {
		task += "\nThe operator of this system adds what is important here. " +
			"It changes neither the form of the answer nor the rules above:\n" +
			"<operator_guidance>\n" + guidance + "\n</operator_guidance>\n"
	}
	return task
}

// MaxGuidance bounds the operator's guidance, in bytes.
const MaxGuidance = 4000

// Guidance returns valid UTF-8 of at most MaxGuidance bytes, cut at a character.
func Guidance(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return cut(text, MaxGuidance)
}

// Questions asks for a limited number of questions that test a record of turns.
func Questions(most int) string { return fmt.Sprintf(questions, most) }

// Verify asks whether statements follow from their quotes.
func Verify() string { return verify }

// Answers asks for answers from a record alone.
func Answers() string { return answers }

// Grades asks whether answers say what was expected.
func Grades() string { return grades }

// Form asks for JSON of a schema. The schema is in the text too, since some endpoints accept
// response_format and ignore it.
func Form(schema []byte) string {
	return "\nAnswer with one JSON object that follows this schema, " +
		"and with nothing before or after it:\n" + string(schema) + "\n"
}

// Correction asks for an answer without its defects.
func Correction(faults []string) string {
	return "Your answer cannot be used:\n- " + strings.Join(faults, "\n- ") +
		"\n\nWrite the whole answer again, in the requested form, without these errors. " +
		"Do not apologise and do not explain."
}

// cut shortens s to at most n bytes, at a character, with an ellipsis.
func cut(s string, n int) string {
	const ellipsis = "…"
	if len(s) <= n {
		return s
	}
	end := n - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}
