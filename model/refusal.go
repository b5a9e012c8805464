package model

import "strings"

// What follows tells refusals from other faults of the form, so that they are not
// asked again. It judges no statement.

// declining are beginnings of refusals in prose, in lower case, with straight
// apostrophes.
var declining = []string{
	"i'm sorry", "i am sorry", "sorry,", "sorry, but", "i can't", "i cannot", "i can not", "i'm unable", "i am unable", "i'm not able", "i am not able",
	"i won't", "i will not", "i must decline", "i apologize", "i apologise", "my apologies", "as an ai", "unfortunately, i can", "unfortunately i can",
	"unfortunately, i'm", "i'm afraid i can", "i am afraid i can",
}

// declines reports whether text begins as refusals do.
func declines(text string) bool { return beginsWith(text, declining) }

// courtesies are beginnings of acknowledgements.
var courtesies = []string{
	"sure", "ok", "okay", "certainly", "of course", "understood", "got it", "absolutely", "no problem", "noted", "alright", "all right", "yes", "acknowledged",
	"thank you", "thanks", "great", "will do",
}

// promising are beginnings of what only says what will be done.
var promising = []string{"happy to", "i'd be happy to", "i would be happy to", "i'll", "i will", "let me", "here is", "here's"}

// longestPromise is the most bytes of an answer that only promises one.
const longestPromise = 160

// courteous reports whether text is nothing but words of agreement, one more at
// most: "Sure thing!" is, "Yes, fix it" is not.
func courteous(text string) bool {
	low := plain(text)
	for _, c := range courtesies {
		if rest, ok := cutWords(low, c); ok && len(strings.Fields(rest)) <= 1 {
			return true
		}
	}
	return false
}

// acknowledges reports whether an answer only agrees or promises.
func acknowledges(answer string) bool {
	return courteous(answer) || len(answer) <= longestPromise && (beginsWith(answer, courtesies) || beginsWith(answer, promising))
}

// beginsWith reports whether text begins with one of the phrases as whole words.
func beginsWith(text string, phrases []string) bool {
	low := plain(text)
	for _, p := range phrases {
		if _, ok := cutWords(low, p); ok {
			return true
		}
	}
	return false
}

// plain returns the beginning of a text in lower case, with straight apostrophes.
func plain(text string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text[:min(len(text), 200)]), "\u2019", "'"))
}

// cutWords cuts whole words off the beginning of text.
func cutWords(text, words string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, words)
	if !ok || rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
		return "", false
	}
	return strings.TrimLeft(rest, " ,.;:!"), true
}
