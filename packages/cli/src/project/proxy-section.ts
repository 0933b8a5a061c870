import * as z from 'zod';
import { backendKinds, budgetModes, wireNames } from './proxy-names.ts';
import { bytes, count, httpUrl, port, profileName, seconds, text, variableName } from './values.ts';

const backend = z.strictObject({
  url: httpUrl.optional(),
  kind: z.enum(backendKinds).optional(),
  wire: z.enum(wireNames).optional(),
  /** The model asked for, whatever the client says. */
  model: text.optional(),
  apiKeyEnv: variableName.optional(),
  tools: z.enum(['native', 'prompt']).optional(),
  timeout: seconds.optional(),
  connectTimeout: seconds.optional(),
  /** What follows is for a server that Forge starts. Paths begin at the folder of the file. */
  gguf: text.optional(),
  modelPath: text.optional(),
  port: port.optional(),
  budgetMode: z.enum(budgetModes).optional(),
  budgetTokens: z.int().min(1).optional(),
  flags: z.array(z.string()).optional(),
});

const names = z.array(text).min(1);

const guard = z.strictObject({
  maxRetries: count.max(20).optional(),
  maxToolErrors: count.optional(),
  respondTool: z.boolean().optional(),
  reasoningReplay: z.enum(['as_sent', 'none', 'last', 'full']).optional(),
  constrain: z.enum(['off', 'on-retry', 'always']).optional(),
  steps: z
    .array(
      z.strictObject({
        tools: names,
        requiredSteps: names,
        terminalTools: names.optional(),
      }),
    )
    .optional(),
  /** One for each guardrail a request can meet. All are on unless switched off. */
  switches: z
    .strictObject({
      rescue: z.boolean().optional(),
      arguments: z.boolean().optional(),
      repairs: z.boolean().optional(),
      steps: z.boolean().optional(),
      repetition: z.boolean().optional(),
      nudges: z.boolean().optional(),
    })
    .optional(),
});

const limits = z.strictObject({
  bodyBytes: bytes.optional(),
  headerBytes: bytes.optional(),
  replyBytes: bytes.optional(),
  concurrency: z.int().min(1).optional(),
  queue: count.optional(),
  headersTimeout: seconds.optional(),
  bodyTimeout: seconds.optional(),
  writeTimeout: seconds.optional(),
  heartbeat: seconds.optional(),
});

const profile = z.strictObject({
  backend: backend.optional(),
  host: text.optional(),
  port: port.optional(),
  /** The key callers have to send. */
  apiKeyEnv: variableName.optional(),
  guard: guard.optional(),
  limits: limits.optional(),
  serialize: z
    .union([z.boolean(), z.int().min(1)])
    .meta({ expected: 'true, false, or how many requests at once' })
    .optional(),
  sessions: z.boolean().optional(),
  learn: z.union([z.boolean(), text]).meta({ expected: 'true, false, or a file' }).optional(),
  workers: z.int().min(1).max(256).optional(),
});

/** The `proxy` part of `forge.yaml`. Times are in seconds. */
export const proxySection = z.strictObject({
  /** The profile taken when none is named. */
  default: profileName.optional(),
  profiles: z.record(profileName, profile).optional(),
});

export type ProxyProfile = z.infer<typeof profile>;
export type ProxySection = z.infer<typeof proxySection>;
