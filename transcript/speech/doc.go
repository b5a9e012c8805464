// Package speech divides messages into what a person typed and what their client added: reminders,
// documents, context, the output of commands, summaries. What a client writes is known from its
// tags and its fixed beginnings; text that no table names counts as typed. It also recognizes the
// messages by which agents ask for a summary. It reads one message at a time, and never judges what
// a person's words mean.
package speech
