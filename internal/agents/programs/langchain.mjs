// An agent of LangChain.js in the current folder: one prompt, three tools, the conversation kept
// in a file. Names that begin with langgraph make it with LangGraph's createReactAgent, others with
// createAgent.
//   node langchain.mjs NAME BASE_URL MODEL SESSION_FILE PROMPT
import { execSync } from 'node:child_process'
import fs from 'node:fs'
import { ChatAnthropic } from '@langchain/anthropic'
import {
  HumanMessage, mapChatMessagesToStoredMessages, mapStoredMessagesToChatMessages,
} from '@langchain/core/messages'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOllama } from '@langchain/ollama'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'

const [, , name, base, model, session, prompt] = process.argv
const apiKey = process.env.SCRIPTED_KEY
const messages = fs.existsSync(session)
  ? mapStoredMessagesToChatMessages(JSON.parse(fs.readFileSync(session, 'utf8')))
  : []
messages.push(new HumanMessage(prompt))

const tools = [
  tool(({ path }) => fs.readFileSync(path, 'utf8'), {
    name: 'read_file', description: 'Reads a file.', schema: z.object({ path: z.string() }),
  }),
  tool(({ path, old_string: before, new_string: after }) => {
    fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(before, after))
    return `edited ${path}`
  }, {
    name: 'edit_file',
    description: 'Replaces a text in a file.',
    schema: z.object({ path: z.string(), old_string: z.string(), new_string: z.string() }),
  }),
  // A command that fails throws, and the framework makes the message of the error the result.
  tool(({ command }) => {
    try {
      return execSync(command, { encoding: 'utf8', shell: '/bin/sh' })
    } catch (e) {
      throw new Error(`${e.stdout}exit code ${e.status}`)
    }
  }, {
    name: 'run_command', description: 'Runs a command.', schema: z.object({ command: z.string() }),
  }),
]
const models = {
  messages: () => new ChatAnthropic({ model, apiKey, anthropicApiUrl: base, streaming: true }),
  gemini: () => new ChatGoogleGenerativeAI({ model, apiKey, baseUrl: base, streaming: true }),
  responses: () => new ChatOpenAI({
    model, apiKey, configuration: { baseURL: `${base}/v1` }, useResponsesApi: true, zdrEnabled: true,
  }),
  ollama: () => new ChatOllama({ model, baseUrl: base, numCtx: 262144 }),
  chat: () => new ChatOpenAI({ model, apiKey, configuration: { baseURL: `${base}/v1` } }),
}
const llm = models[name.split('-').at(-1)]()
const instructions =
  'You are a coding agent. Work in the current folder with the tools that you have.'
const agent = name.startsWith('langgraph')
  ? createReactAgent({ llm, tools, prompt: instructions })
  : createAgent({ model: llm, tools, systemPrompt: instructions })
const result = await agent.invoke({ messages }, { recursionLimit: 2000 })
console.log(result.messages.at(-1).text)
fs.writeFileSync(session, JSON.stringify(mapChatMessagesToStoredMessages(result.messages)))
