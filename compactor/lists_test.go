package compactor

import (
	"slices"
	"testing"
)

func TestFactsThatTellAnewHowASubjectStandsReplaceTheOlder(t *testing.T) {
	known := []string{"go test: passed", "Error: no such file", "port: 8080"}
	got := addFacts(known, "go test: failed, --- FAIL: TestLogin", "Error: no such host", "port: 8080", "add an index: not done yet")
	want := []string{"Error: no such file", "port: 8080", "go test: failed, --- FAIL: TestLogin", "Error: no such host", "add an index: not done yet"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if known[0] != "go test: passed" {
		t.Errorf("the list that was known has changed to %q", known)
	}
}
