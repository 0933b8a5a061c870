import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';

export interface PlainCall {
  readonly name: string;
  readonly args: JsonObject;
}

export interface CallFormat {
  readonly name: string;
  write(call: PlainCall): string;
}

const named = ({ name, args }: PlainCall) => JSON.stringify({ name, arguments: args });

/** How models write a call when they write it as text. The kernel's rescue reads all of these. */
export const callFormats: readonly [CallFormat, ...CallFormat[]] = [
  { name: 'hermes', write: (call) => `<tool_call>\n${named(call)}\n</tool_call>` },
  { name: 'fence', write: (call) => `\`\`\`json\n${named(call)}\n\`\`\`` },
  { name: 'bare', write: ({ name, args }) => JSON.stringify({ name, parameters: args }) },
  {
    name: 'function object',
    write: ({ name, args }) =>
      JSON.stringify({ function_call: { name, arguments: JSON.stringify(args) } }),
  },
  { name: 'mistral', write: (call) => `[TOOL_CALLS][${named(call)}]` },
  { name: 'mistral args', write: ({ name, args }) => `[TOOL_CALLS]${name}[ARGS]${json(args)}` },
  { name: 'llama', write: ({ name, args }) => `<function=${name}>${json(args)}</function>` },
  { name: 'pythonic', write: ({ name, args }) => `[${name}(${pythonArguments(args)})]` },
  {
    name: 'tool code',
    write: ({ name, args }) => `\`\`\`tool_code\n${name}(${pythonArguments(args)})\n\`\`\``,
  },
  {
    name: 'qwen coder',
    write: ({ name, args }) =>
      `<tool_call>\n<function=${name}>\n${tags(args, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>\n</tool_call>`,
  },
  {
    name: 'invoke',
    write: ({ name, args }) =>
      `<function_calls>\n<invoke name="${name}">\n${tags(args, (key, value) => `<parameter name="${key}">${value}</parameter>`)}\n</invoke>\n</function_calls>`,
  },
  {
    name: 'glm',
    write: ({ name, args }) =>
      `<tool_call>${name}\n${tags(args, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`)}\n</tool_call>`,
  },
  {
    name: 'harmony',
    write: ({ name, args }) =>
      `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${json(args)}<|call|>`,
  },
  {
    name: 'deepseek',
    write: ({ name, args }) =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${json(args)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  },
  {
    name: 'react',
    write: ({ name, args }) =>
      `Thought: I need ${name}.\nAction: ${name}\nAction Input: ${json(args)}`,
  },
];

function json(value: JsonValue): string {
  return JSON.stringify(value);
}

function tags(args: JsonObject, write: (key: string, value: string) => string): string {
  return Object.entries(args)
    .map(([key, value]) => write(key, typeof value === 'string' ? value : json(value)))
    .join('\n');
}

function pythonArguments(args: JsonObject): string {
  return Object.entries(args)
    .map(([key, value]) => `${key}=${python(value)}`)
    .join(', ');
}

/** A JSON string is a Python string too; the three constants have other names there. */
function python(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (!isJsonObject(value)) return json(value);
  const entries = Object.entries(value).map(([key, inner]) => `${json(key)}: ${python(inner)}`);
  return `{${entries.join(', ')}}`;
}
