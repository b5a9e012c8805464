// An agent of OpenAI's Agents SDK in the current folder: one prompt, the conversation kept in a
// file. The one that is named sandbox has the tools of the SDK's own sandbox agent.
//   node openaiagents.mjs NAME BASE_URL MODEL SESSION_FILE PROMPT
import { exec } from 'node:child_process'
import fs from 'node:fs'
import {
  Agent, applyDiff, applyPatchTool, OpenAIProvider, Runner, shellTool, tool,
} from '@openai/agents'
import { z } from 'zod'

const [, , name, base, model, session, prompt] = process.argv
const chat = name.endsWith('-chat')
const input = fs.existsSync(session) ? JSON.parse(fs.readFileSync(session, 'utf8')) : []
input.push({ role: 'user', content: prompt })

const run = (command) => new Promise((resolve) => {
  exec(command, (error, stdout, stderr) => resolve({
    stdout, stderr, outcome: { type: 'exit', exitCode: error ? error.code : 0 },
  }))
})
const shell = { run: async ({ commands }) => ({ output: await Promise.all(commands.map(run)) }) }
const editor = {
  createFile: async ({ path, diff }) => {
    fs.writeFileSync(path, applyDiff('', diff, 'create'))
    return { status: 'completed', output: `Created ${path}` }
  },
  updateFile: async ({ path, diff }) => {
    fs.writeFileSync(path, applyDiff(fs.readFileSync(path, 'utf8'), diff))
    return { status: 'completed', output: `Updated ${path}` }
  },
  deleteFile: async ({ path }) => {
    fs.unlinkSync(path)
    return { status: 'completed', output: `Deleted ${path}` }
  },
}
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }) => fs.readFileSync(path, 'utf8'),
})
const functions = [
  tool({
    name: 'edit_file',
    description: 'Replaces a text in a file.',
    parameters: z.object({ path: z.string(), old_string: z.string(), new_string: z.string() }),
    execute: async ({ path, old_string: before, new_string: after }) => {
      fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(before, after))
      return `edited ${path}`
    },
  }),
  tool({
    name: 'run_command',
    description: 'Runs a command.',
    parameters: z.object({ command: z.string() }),
    execute: async ({ command }) => {
      const { stdout, stderr, outcome } = await run(command)
      return { exit_code: outcome.exitCode, stdout, stderr }
    },
  }),
]
const hosted = [shellTool({ shell }), applyPatchTool({ editor })]
const agent = new Agent({
  name: 'coder',
  model,
  instructions: 'You are a coding agent. Work in the current folder with the tools that you have.',
  tools: [readFile, ...(chat ? functions : hosted)],
  modelSettings: { store: false, providerData: { include: ['reasoning.encrypted_content'] } },
})
const runner = new Runner({
  modelProvider: new OpenAIProvider({
    apiKey: process.env.SCRIPTED_KEY, baseURL: `${base}/v1`, useResponses: !chat,
  }),
  tracingDisabled: true,
})
const result = await runner.run(agent, input, { maxTurns: 500, stream: true })
await result.completed
console.log(result.finalOutput)
fs.writeFileSync(session, JSON.stringify(result.history))
