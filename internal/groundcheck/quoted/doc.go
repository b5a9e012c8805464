// Package quoted compares quotes in records with the texts that they are of. It knows no message.
package quoted
