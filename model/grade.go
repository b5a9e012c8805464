package model

import (
	"context"
	"fmt"
	"strings"
)

// Given is an answer to be graded, beside the one that was expected.
type Given struct{ Question, Expected, Answer string }

// scores are what grades count.
var scores = map[string]float64{"right": 1, "partly": 0.5, "wrong": 0}

// Grade asks, in one call, whether answers say what was expected, if in other words.
// The model sees nothing of the conversation or its record. It returns a score from 0
// to 1 for each, 0 where none was given. An error wraps one of this package's.
func (c *Client) Grade(ctx context.Context, call Call, given []Given) ([]float64, Spent, error) {
	if len(given) == 0 {
		return nil, Spent{}, nil
	}
	data := c.newFence()
	d, err := c.apart("grades", call, data)
	if err != nil {
		return nil, Spent{}, err
	}
	var b strings.Builder
	for i, g := range given {
		data.part(&b, fmt.Sprintf("question %d", i+1), data.line(g.Question))
		data.part(&b, fmt.Sprintf("expected answer %d", i+1), data.line(g.Expected))
		data.part(&b, fmt.Sprintf("given answer %d", i+1), data.line(g.Answer))
	}
	data.close(&b)
	var graded []float64
	_, err = d.structured(ctx, gradesShape, b.String()+gradesTask+schemaTask(gradesShape), func(text string) []string {
		var said struct {
			Grades []numberedGrade `json:"grades"`
		}
		if faults := gradesShape.object(text, &said); len(faults) > 0 {
			return faults
		}
		graded = make([]float64, len(given))
		t := tidier{}
		eachNumbered(&t, "grades", said.Grades, len(given), func(g numberedGrade) int { return g.Number },
			func(i int, g numberedGrade) { graded[i] = scores[g.Grade] })
		return t.faults
	})
	if err != nil {
		return nil, d.spent, err
	}
	return graded, d.spent, nil
}

// numberedGrade is a grade with the number of its answer, from 1.
type numberedGrade struct {
	Number int    `json:"number"`
	Grade  string `json:"grade"`
}
