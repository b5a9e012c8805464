// A small agent over the AI SDK: one prompt, three tools, the conversation kept in a file.
//   node aisdk.mjs NAME BASE_URL MODEL SESSION_FILE PROMPT
import { execSync } from 'node:child_process'
import fs from 'node:fs'
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOllama } from 'ai-sdk-ollama'
import { isStepCount, streamText, tool } from 'ai'
import { z } from 'zod'

const [, , name, base, model, session, prompt] = process.argv
const baseURL = `${base}/v1`
const apiKey = process.env.SCRIPTED_KEY
const messages = fs.existsSync(session) ? JSON.parse(fs.readFileSync(session, 'utf8')) : []
messages.push({ role: 'user', content: prompt })

const shell = (command) => {
  try {
    return execSync(command, { encoding: 'utf8', shell: '/bin/sh' })
  } catch (e) {
    return `${e.stdout}exit code ${e.status}`
  }
}
const tools = {
  read: tool({
    description: 'Reads a file.',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => fs.readFileSync(path, 'utf8'),
  }),
  edit: tool({
    description: 'Replaces a text in a file.',
    inputSchema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
    execute: async ({ path, before, after }) => {
      fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(before, after))
      return `edited ${path}`
    },
  }),
  bash: tool({
    description: 'Runs a command.',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => shell(command),
  }),
}
const ollama = name === 'ai-sdk-ollama'
const anthropic = name === 'ai-sdk-messages'
const bedrock = name.startsWith('ai-sdk-bedrock')
const stored = name.endsWith('-stored')
const openai = createOpenAI({ baseURL, apiKey })
const overOpenAI = () => (name === 'ai-sdk-chat' ? openai.chat(model) : openai.responses(model))
const choose = () => {
  if (bedrock) return createAmazonBedrock({ baseURL: base, region: 'us-east-1', apiKey })(model)
  if (ollama) return createOllama({ baseURL: base })(model, { options: { num_ctx: 262144 } })
  return anthropic ? createAnthropic({ baseURL, apiKey })(model) : overOpenAI()
}
// As opencode sets them: cache points after the instructions and after the last two messages.
const point = { providerOptions: { bedrock: { cachePoint: { type: 'default' } } } }
const none = { providerOptions: undefined }
const instructions = 'You are a coding agent. Work in the current folder with the tools you have.'
const result = streamText({
  model: choose(),
  system: bedrock ? { role: 'system', content: instructions, ...point } : instructions,
  prepareStep: ({ messages: list }) =>
    bedrock
      ? { messages: list.map((m, i) => ({ ...m, ...(i < list.length - 2 ? none : point) })) }
      : undefined,
  messages,
  tools,
  stopWhen: isStepCount(500),
  providerOptions: bedrock
    ? { bedrock: model.includes('claude') ? { reasoningConfig: { type: 'adaptive' } } : {} }
    : anthropic
    ? { anthropic: { thinking: { type: 'adaptive' } } }
    : { openai: stored ? {} : { store: false, include: ['reasoning.encrypted_content'] } },
  onError: ({ error }) => {
    console.error(error)
    process.exitCode = 1
  },
})
for await (const text of result.textStream) process.stdout.write(text)
console.log()
messages.push(...(await result.responseMessages))
fs.writeFileSync(session, JSON.stringify(messages))
