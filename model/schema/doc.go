// Package schema has the schemas of models' answers, and reads answers: it finds the JSON
// object in what a model wrote, validates it, cleans its texts, and names the defects in
// words that a corrective prompt can repeat. It reads tolerantly (code fences, a preamble,
// thoughts before the object) and then validates the object strictly.
//
// No schema has a member for what the user wants, allows or forbids: the record only has
// that in the user's own words, which need no model.
//
// The package only checks shapes. It never judges whether an answer is true, repairs
// nothing, and makes no calls.
package schema
