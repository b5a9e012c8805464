// Package prepare has a model write statements for the next record, in the background
// and after the reply, and checks each against the conversation before it is used.
//
// It never delays a request, and nothing that a model wrote reaches a record unless its
// quotes were found in the turns and another call verified it.
package prepare
