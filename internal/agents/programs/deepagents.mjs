// An agent of deepagents in the current folder: one prompt, the conversation kept in a file.
//   node deepagents.mjs NAME BASE_URL MODEL SESSION_FILE PROMPT
import fs from 'node:fs'
import { ChatAnthropic } from '@langchain/anthropic'
import {
  HumanMessage, mapChatMessagesToStoredMessages, mapStoredMessagesToChatMessages,
} from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { createDeepAgent, LocalShellBackend } from 'deepagents'

const [, , name, base, model, session, prompt] = process.argv
const apiKey = process.env.SCRIPTED_KEY
const messages = fs.existsSync(session)
  ? mapStoredMessagesToChatMessages(JSON.parse(fs.readFileSync(session, 'utf8')))
  : []
messages.push(new HumanMessage(prompt))

const backend = new LocalShellBackend({ rootDir: process.cwd(), inheritEnv: true })
await backend.initialize()
const agent = createDeepAgent({
  model: name.endsWith('-messages')
    ? new ChatAnthropic({ model, apiKey, anthropicApiUrl: base, streaming: true })
    : new ChatOpenAI({ model, apiKey, configuration: { baseURL: `${base}/v1` } }),
  systemPrompt: 'You are a coding agent. Work in the current folder with the tools that you have.',
  backend,
})
const result = await agent.invoke({ messages }, { recursionLimit: 2000 })
console.log(result.messages.at(-1).text)
fs.writeFileSync(session, JSON.stringify(mapChatMessagesToStoredMessages(result.messages)))
