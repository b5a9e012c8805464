// Package fleet holds tests of several replicas in front of one upstream, which share a store: a
// redis-server that the tests start, break and start again.
package fleet
