package model

import "strings"

// Refusals are distinguished from other defects, since a corrective retry does not help.
// Only defective answers are checked; statements are not judged.

// declining are beginnings of refusals in prose, in lower case, with straight
// apostrophes.
var declining = []string{
	"i'm sorry", "i am sorry", "sorry,", "sorry, but", "my apologies", "i apologize", "i apologise",
	"i can't", "i cannot", "i can not", "i won't", "i will not", "i must decline", "as an ai",
	"i'm unable", "i am unable", "i'm not able", "i am not able",
	"unfortunately, i can", "unfortunately i can", "unfortunately, i'm",
	"i'm afraid i can", "i am afraid i can",
}

// acknowledging are beginnings of answers that only agree.
var acknowledging = []string{
	"sure", "ok", "okay", "certainly", "of course", "understood", "got it", "absolutely",
	"no problem", "noted", "alright", "all right", "yes", "acknowledged", "thank you", "thanks",
	"great", "will do",
}

// announcing are beginnings of what only says what will be done.
var announcing = []string{
	"happy to", "i'd be happy to", "i would be happy to", "i'll", "i will", "let me",
	"here is", "here's",
}

// maxAcknowledgement is the maximum size of an answer that only agrees or announces one.
const maxAcknowledgement = 160

// declines reports whether text begins as refusals do.
func declines(text string) bool { return beginsWith(text, declining) }

// acknowledges reports whether an answer only agrees or announces another.
func acknowledges(answer string) bool {
	return len(answer) <= maxAcknowledgement &&
		(beginsWith(answer, acknowledging) || beginsWith(answer, announcing))
}

// beginsWith reports whether text begins with one of the phrases as whole words.
func beginsWith(text string, phrases []string) bool {
	start := beginning(text)
	for _, phrase := range phrases {
		// Whole words: "sure" begins "Sure!", not "Surely".
		if rest, ok := strings.CutPrefix(start, phrase); ok && (rest == "" || !isLower(rest[0])) {
			return true
		}
	}
	return false
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// beginning returns the first bytes of a text in lower case, with straight apostrophes.
func beginning(text string) string {
	const most = 200
	text = strings.TrimSpace(text[:min(len(text), most)])
	return strings.ToLower(strings.ReplaceAll(text, "\u2019", "'"))
}
