// Package workset chooses lines of files that an agent is likely to need again, from turns that are
// no longer sent: lines that it read or wrote. A record only names files, but an edit must quote
// their lines.
//
// Each line is shown verbatim, with the message that contained it. Lines that a newer text shows
// again or replaces are not shown. The choice follows from the structure of calls and results; it
// is a function of the conversation. The package never decides what is folded and calls no model.
package workset
