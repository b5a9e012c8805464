// Package scripted is the model that the agents talk to. It reads their requests in every wire
// format, answers with the next step of the work in the agent's own calls, and checks what came
// back. It never starts an agent, and never knows whether the proxy is between the agent and it.
package scripted
