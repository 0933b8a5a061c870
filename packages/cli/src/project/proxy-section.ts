import * as z from 'zod';
import { backendKinds, budgetModes, wireNames } from './proxy-names.ts';
import { bytes, count, httpUrl, port, profileName, seconds, text, variableName } from './values.ts';

const backend = z.strictObject({
  url: httpUrl.optional().describe('A server that runs. Default: one is looked for.'),
  kind: z.enum(backendKinds).optional().describe('What it is, or what to start.'),
  wire: z.enum(wireNames).optional().describe('What it speaks. Default: by its kind.'),
  model: text.optional().describe('The model asked for, whatever the client says.'),
  apiKeyEnv: variableName.optional().describe('The variable with the key sent to it.'),
  tools: z.enum(['native', 'prompt']).optional().describe('How it is told of tools.'),
  timeout: seconds.optional().describe('How long it may be silent, in seconds.'),
  connectTimeout: seconds.optional().describe('How long a connection may take, in seconds.'),
  gguf: text.optional().describe('To start one: the model, from the folder of the file.'),
  modelPath: text.optional().describe('The same, for folders and names of the hub.'),
  port: port.optional().describe('To start one: its port.'),
  budgetMode: z.enum(budgetModes).optional().describe('To start one: how long its context is.'),
  budgetTokens: z.int().min(1).optional().describe('With budgetMode manual: how many tokens.'),
  flags: z.array(z.string()).optional().describe('To start one: flags of its own.'),
});

const names = z.array(text).min(1);

const guard = z.strictObject({
  maxRetries: count.max(20).optional().describe('How often a reply is asked for again.'),
  maxToolErrors: count.optional().describe('Failed calls in a row before it says so.'),
  respondTool: z.boolean().optional().describe('Offers a tool for plain answers.'),
  reasoningReplay: z
    .enum(['as_sent', 'none', 'last', 'full'])
    .optional()
    .describe('How much of earlier reasoning is sent again.'),
  constrain: z
    .enum(['off', 'on-retry', 'always'])
    .optional()
    .describe('When a reply is held to a schema.'),
  steps: z
    .array(
      z.strictObject({
        tools: names.describe('For requests that have these tools.'),
        requiredSteps: names.describe('Have to be called before an end.'),
        terminalTools: names.optional().describe('The tools that end it.'),
      }),
    )
    .optional()
    .describe('What has to be called before a turn may end.'),
  switches: z
    .strictObject({
      rescue: z.boolean().optional().describe('Calls written as text are found.'),
      arguments: z.boolean().optional().describe('Arguments are checked by the schema.'),
      repairs: z.boolean().optional().describe('What can be mended without loss is.'),
      steps: z.boolean().optional().describe('Required steps are asked for.'),
      repetition: z.boolean().optional().describe('Loops are noticed.'),
      nudges: z.boolean().optional().describe('The model is told what was wrong.'),
    })
    .optional()
    .describe('One for each guardrail a request can meet. All are on unless switched off.'),
});

const limits = z.strictObject({
  bodyBytes: bytes.optional().describe('The longest request.'),
  headerBytes: bytes.optional().describe('The longest headers.'),
  replyBytes: bytes.optional().describe('The longest reply.'),
  concurrency: z.int().min(1).optional().describe('Requests at once.'),
  queue: count.optional().describe('Requests that may wait.'),
  headersTimeout: seconds.optional().describe('For the headers of a request, in seconds.'),
  bodyTimeout: seconds.optional().describe('For the body of a request, in seconds.'),
  writeTimeout: seconds.optional().describe('For a client that does not read, in seconds.'),
  heartbeat: seconds.optional().describe('Between signs of life in a stream, in seconds.'),
});

const profile = z.strictObject({
  backend: backend.optional().describe('The model server behind the proxy.'),
  host: text.optional().describe('The address to listen on. Default: 127.0.0.1.'),
  port: port.optional().describe('The port to listen on. Default: 8081.'),
  apiKeyEnv: variableName.optional().describe('The variable with the key callers have to send.'),
  guard: guard.optional().describe('How replies are judged.'),
  limits: limits.optional().describe('What a client may ask for.'),
  serialize: z
    .union([z.boolean(), z.int().min(1)])
    .meta({ expected: 'true, false, or how many requests at once' })
    .optional()
    .describe('Requests to the backend one after the other, or so many at once.'),
  sessions: z.boolean().optional().describe('Remembers what was called from request to request.'),
  learn: z
    .union([z.boolean(), text])
    .meta({ expected: 'true, false, or a file' })
    .optional()
    .describe('Keeps what was learned of a model, in the usual file or in this one.'),
  workers: z.int().min(1).max(256).optional().describe('Processes on the one port.'),
});

/** The `proxy` part of `forge.yaml`. Times are in seconds. */
export const proxySection = z.strictObject({
  default: profileName.optional().describe('The profile taken when none is named.'),
  profiles: z.record(profileName, profile).optional().describe('Profiles by name.'),
});

export type ProxyProfile = z.infer<typeof profile>;
export type ProxySection = z.infer<typeof proxySection>;
