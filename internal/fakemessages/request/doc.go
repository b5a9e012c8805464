// Package request reads requests of the Messages API and refuses what the API refuses before it
// looks at signatures: members, roles, pairs of calls and results, cache marks, settings of
// thinking, summaries. It keeps nothing between two requests and answers none.
package request
