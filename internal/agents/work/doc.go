// Package work is what the agents are given to do: a generated project, the prompts of the person,
// and the steps of the model. It names no agent, no tool and no wire format.
package work
