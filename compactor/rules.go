package compactor

import "strings"

// Words that make a sentence of the user a standing rule wherever they stand
// in it.
var ruleWords = []string{
	"never", "always", "must not", "mustn't", "must never", "under no circumstances", "from now on",
	"at all times", "no matter what", "do not ever", "don't ever", "without asking", "without my", "make sure to",
	"make sure that", "make sure you", "is forbidden", "are forbidden", "is not allowed", "are not allowed", "off limits", "off-limits",
	"niemals", "immer", "nunca", "siempre", "jamais", "toujours",
}

// Words that make one when it begins with them.
var ruleHeads = []string{"do not", "don't", "dont", "please do not", "please don't", "only use", "use only", "avoid", "stick to", "keep in mind", "remember to", "remember:", "rule:", "no "}

// Characters of rules in scripts without spaces.
var ruleRunes = []string{"不要", "禁止", "必须", "总是", "永远", "绝不", "決して", "必ず", "しないで"}

// Questions and remarks that hold the words of a rule and are none.
var noRule = []string{"why ", "did you", "do you", "don't you", "didn't", "i don't think", "i don't know", "i dont", "have you ever", "has never", "have never", "had never", "was never", "it never", "it always", "they always", "they never", "you always", "you never"}

// isRule tells whether a sentence of the user is a standing rule or a
// prohibition.
func isRule(sentence string) bool {
	if len(sentence) > maxRule || len(sentence) < 6 || strings.HasSuffix(sentence, "?") {
		return false
	}
	for _, runes := range ruleRunes {
		if strings.Contains(sentence, runes) {
			return true
		}
	}
	low := strings.ToLower(strings.ReplaceAll(sentence, "’", "'"))
	for _, not := range noRule {
		if strings.HasPrefix(low, not) || strings.Contains(low, ", "+not) {
			return false
		}
	}
	if strings.HasPrefix(low, "no problem") || strings.HasPrefix(low, "no,") {
		return false
	}
	for _, head := range ruleHeads {
		if strings.HasPrefix(low, head) {
			return len(strings.Fields(low)) >= 3
		}
	}
	return hasAnyWord(low, ruleWords)
}

// rulesIn returns the standing rules in what a user wrote, word for word.
func rulesIn(text string) (rules []string) {
	sentences(text, func(s string) bool {
		if isRule(s) {
			rules = append(rules, s)
		}
		return len(rules) < maxEntries
	})
	return rules
}
