package model

import "strings"

// declining are beginnings of refusals in prose, in lower case, with straight
// apostrophes.
var declining = []string{
	"i'm sorry", "i am sorry", "sorry,", "sorry, but", "i can't", "i cannot", "i can not", "i'm unable", "i am unable", "i'm not able", "i am not able",
	"i won't", "i will not", "i must decline", "i apologize", "i apologise", "my apologies", "as an ai", "unfortunately, i can", "unfortunately i can",
	"unfortunately, i'm", "i'm afraid i can", "i am afraid i can",
}

// declines tells whether text begins as refusals do.
func declines(text string) bool { return beginsWith(text, declining) }

// courtesies are beginnings of acknowledgements.
var courtesies = []string{
	"sure", "ok", "okay", "certainly", "of course", "understood", "got it", "absolutely", "no problem", "noted", "alright", "all right", "yes", "acknowledged",
	"thank you", "thanks", "great", "will do", "happy to", "i'd be happy to", "i would be happy to", "i'll", "i will", "let me",
}

// longestCourtesy is the most bytes of an answer that is taken for a courtesy
// alone.
const longestCourtesy = 160

// acknowledges tells whether text is nothing but an acknowledgement: it begins as
// those do and ends after a sentence or two.
func acknowledges(text string) bool {
	if len(text) > longestCourtesy || !beginsWith(text, courtesies) {
		return false
	}
	words := strings.Fields(text)
	return len(words) <= 4 || strings.ContainsAny(words[0], "!,.") || beginsWith(text, promising)
}

// promising are courtesies that say what will be done, at any length.
var promising = []string{"i'll", "i will", "let me", "happy to", "i'd be happy to", "i would be happy to", "sure", "of course i", "certainly i"}

// beginsWith tells whether text begins with one of the phrases as whole words.
func beginsWith(text string, phrases []string) bool {
	low := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text[:min(len(text), 200)]), "\u2019", "'"))
	for _, p := range phrases {
		rest, ok := strings.CutPrefix(low, p)
		if ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}
