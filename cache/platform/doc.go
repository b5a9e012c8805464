// Package platform asks the operating system about a directory and about the memory that its files
// take: free space, rights, locks, mapped pages.
//
// It never reads or changes the content of a file, and knows nothing of stores.
package platform
