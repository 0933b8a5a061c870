import { scalar, schemaPath } from './project-text.ts';

/** The instructions of the agent that `--agent` begins. */
export const agentPromptPath = '.forge/prompts/assistant.md';

export const agentPrompt = `---
name: assistant
version: 1
description: Answers questions about this repository.
---
You answer one request about the repository you are in.

Look before you answer: read the files that the request is about. Say only what you have seen, and
name the files you have it from. If the request cannot be answered from what is here, say that.

End with \`submit\`.

{{tools}}

{{sandbox}}

{{rules}}
`;

/**
 * A `forge.yaml` for a small agent of one's own: its prompt is a file, its tools are few, what it
 * hands on has a schema, its control flow is data, and a person is asked before anything leaves.
 */
export function agentProjectText({
  name,
  model,
}: {
  readonly name: string;
  readonly model?: string | undefined;
}): string {
  return `# yaml-language-server: $schema=./${schemaPath}
# An agent of your own. Run it with: forge run "your question"
# Whether it keeps to the twelve factors of agents: forge doctor --12-factor

name: ${scalar(name)}

# Keys are read from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, …), never from this file.
${model === undefined ? '# model: ollama:qwen3:8b' : `model: ${scalar(model)}`}

agents:
  assistant:
    description: Answers questions about this repository.
    prompt: ${agentPromptPath}
    tools: [read, list, search, git_log]
    max_iterations: 15
    task_type: answering
    input:
      type: object
      properties: { request: { type: string } }
      required: [request]
    output:
      type: object
      properties:
        answer: { type: string, description: The answer, in a few sentences. }
        files: { type: array, items: { type: string }, description: The files it is from. }
      required: [answer, files]

# What runs, in which order. More agents are more nodes.
pipeline:
  name: answer
  input:
    type: object
    properties: { request: { type: string } }
    required: [request]
  nodes:
    answer: { agent: assistant, input: { request: input.request }, retries: 1 }
  output: { answer: answer.answer, files: answer.files }

tools:
  rules:
    - ask: http_fetch # a person says yes first

sandbox:
  backend: auto
  network: none
`;
}
