// Package schema holds the forms that answers of models must have, and reads answers:
// it finds the JSON object in what a model wrote, holds it to its schema, cleans its
// texts, and names the faults in words that a corrective prompt can repeat. It reads
// tolerantly (code fences, a preamble, thoughts before the object) and then holds the
// object strictly to the schema.
//
// No schema has a member for what the user wants, allows or forbids: the record has that
// in the user's own words alone, which need no model.
//
// The package judges form alone. It never says whether an answer is true, repairs
// nothing, and asks nobody.
package schema
