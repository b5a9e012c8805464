// Runs programs, one JSON string a line, with tools that note how they are called, and writes for
// each a line of JSON: the calls, what was printed, the values that the calls returned.
import {createInterface} from 'node:readline';

const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor;
const asText = (v) => typeof v === 'string' ? v : v === undefined ? 'undefined' : JSON.stringify(v);

async function run(source) {
  const out = {calls: [], texts: [], values: [], failed: false, callFailed: false};
  const tool = (name, fails) => (...args) => {
    const i = out.calls.length;
    const value = {output: `output ${i}`, exit_code: i};
    out.calls.push({
      name, arguments: typeof args[0] === 'string' ? args[0] : JSON.stringify(args[0] ?? {}),
    });
    out.values.push(JSON.stringify(value));
    const promise = Promise.resolve().then(() => {
      if (fails && i % 3 === 0) {
        out.callFailed = true;
        throw `call ${i} failed`;
      }
      return value;
    });
    promise.catch(() => {});
    return promise;
  };
  const tools = {exec: tool('exec'), patch: tool('patch'), fail: tool('fail', true)};
  try {
    const text = (v) => { out.texts.push(asText(v)); };
    await new AsyncFunction('tools', 'text', `"use strict";\n${source}\n`)(tools, text);
  } catch {
    out.failed = true;
  }
  return out;
}

for await (const line of createInterface({input: process.stdin})) {
  console.log(JSON.stringify(await run(JSON.parse(line))));
}
