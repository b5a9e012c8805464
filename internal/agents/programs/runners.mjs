// An agent over a provider's own SDK, with the loop that the SDK brings, in the current folder: one
// prompt, three tools, the conversation kept in a file.
//   node runners.mjs NAME BASE_URL MODEL SESSION_FILE PROMPT
import { exec } from 'node:child_process'
import fs from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { GoogleGenAI } from '@google/genai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'

const [, , name, base, model, session, prompt] = process.argv
const apiKey = process.env.SCRIPTED_KEY
const saved = fs.existsSync(session) ? JSON.parse(fs.readFileSync(session, 'utf8')) : []
const system = 'You are a coding agent. Work in the current folder with the tools that you have.'

const command = (line) => new Promise((resolve) => {
  exec(line, (error, stdout) => resolve(error ? `${stdout}exit code ${error.code}` : stdout))
})
const text = { type: 'string' }
const tools = [
  {
    name: 'read_file', description: 'Reads a file.', properties: { path: text },
    run: ({ path }) => fs.readFileSync(path, 'utf8'),
  },
  {
    name: 'edit_file', description: 'Replaces a text in a file.',
    properties: { path: text, old_string: text, new_string: text },
    run: ({ path, old_string: before, new_string: after }) => {
      fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(before, after))
      return `edited ${path}`
    },
  },
  {
    name: 'run_command', description: 'Runs a command.', properties: { command: text },
    run: ({ command: line }) => command(line),
  },
].map(({ properties, ...t }) => ({
  ...t, schema: { type: 'object', properties, required: Object.keys(properties) },
}))

// Each loop returns the last text and the conversation.
const loops = {
  'openai-run-tools': async () => {
    const client = new OpenAI({ apiKey, baseURL: `${base}/v1` })
    const start = saved.length > 0 ? saved : [{ role: 'developer', content: system }]
    const runner = client.chat.completions.runTools({
      model, stream: true, messages: [...start, { role: 'user', content: prompt }],
      tools: tools.map((t) => ({
        type: 'function',
        function: {
          name: t.name, description: t.description, parameters: t.schema, parse: JSON.parse,
          function: t.run,
        },
      })),
    }, { maxChatCompletions: 500 })
    return [await runner.finalContent(), runner.messages]
  },
  'anthropic-tool-runner': async () => {
    const client = new Anthropic({ apiKey, baseURL: base })
    const runner = client.beta.messages.toolRunner({
      model, max_tokens: 16000, system, stream: true, cache_control: { type: 'ephemeral' },
      messages: [...saved, { role: 'user', content: prompt }],
      tools: tools.map((t) => betaTool({
        name: t.name, description: t.description, inputSchema: t.schema, run: t.run,
      })),
      max_iterations: 500,
      thread: false, // else the API holds the conversation, and requests have its newest part alone
    })
    const last = await runner.runUntilDone()
    return [last.content.at(-1).text, [...runner.params.messages]]
  },
  'google-genai': async () => {
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: base } })
    const callTool = async (calls) => Promise.all(calls.map(async (c) => ({
      functionResponse: {
        id: c.id, name: c.name,
        response: { output: await tools.find((t) => t.name === c.name).run(c.args) },
      },
    })))
    const functionDeclarations = tools.map((t) => ({
      name: t.name, description: t.description, parametersJsonSchema: t.schema,
    }))
    const chat = client.chats.create({
      model,
      history: saved,
      config: {
        systemInstruction: system,
        tools: [{ tool: async () => ({ functionDeclarations }), callTool }],
        automaticFunctionCalling: { maximumRemoteCalls: 500 },
      },
    })
    const last = await chat.sendMessage({ message: prompt })
    return [last.text, chat.getHistory()]
  },
  // The loop of Ollama's own client, which brings none: as the examples in its repository write it.
  'ollama-js': async () => {
    const client = new Ollama({ host: base })
    const messages = saved.length > 0 ? saved : [{ role: 'system', content: system }]
    messages.push({ role: 'user', content: prompt })
    for (;;) {
      const answer = { role: 'assistant', content: '', thinking: '', tool_calls: [] }
      const stream = await client.chat({
        model, messages, stream: true, think: true,
        tools: tools.map((t) => ({
          type: 'function',
          function: { name: t.name, description: t.description, parameters: t.schema },
        })),
      })
      for await (const { message } of stream) {
        answer.content += message.content
        answer.thinking += message.thinking ?? ''
        answer.tool_calls.push(...(message.tool_calls ?? []))
      }
      messages.push(answer)
      if (answer.tool_calls.length === 0) return [answer.content, messages]
      for (const call of answer.tool_calls) {
        const content = await tools.find((t) => t.name === call.function.name)
          .run(call.function.arguments)
        messages.push({ role: 'tool', tool_name: call.function.name, content })
      }
    }
  },
}
const [answer, conversation] = await loops[name]()
console.log(answer)
fs.writeFileSync(session, JSON.stringify(conversation))
