// Package prepare has a model write statements for the next record, in the background,
// after the reply, and checks each against the conversation before it is used. Instead,
// the provider's API can write a summary, which is sent unchecked beside the record.
//
// The package never delays a request. A model's statement only enters a record if its quote
// was found in the turns and a separate call verified it.
package prepare
