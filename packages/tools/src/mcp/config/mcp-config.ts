import * as z from 'zod';
import { serverNameSchema } from './server-name.ts';

const milliseconds = z.int().min(1).max(86_400_000);
const toolNames = z.array(z.string().min(1).max(256)).max(1_000);

/** Fields every server has, however it is reached. */
const shared = {
  /** Off: not connected, its tools not offered. */
  enabled: z.boolean().default(true),
  /** Connect at the first call, once its tools are known. */
  lazy: z.boolean().default(false),
  /**
   * `ask`: a person approves every call. `trusted`: calls of tools with a reviewed definition need
   * no approval, and its hints about safe repetition are believed.
   */
  trust: z.enum(['ask', 'trusted']).default('ask'),
  /** `ask`: unreviewed tools are offered, with approval. `quarantine`: hidden until reviewed. */
  newTools: z.enum(['ask', 'quarantine']).default('ask'),
  /** If given, no other tools are offered. By the server's own names. */
  allowedTools: toolNames.optional(),
  /** Never offered, whatever else is said. */
  disabledTools: toolNames.default([]),
  /** `auto` tries the newest revision and falls back. */
  protocol: z.enum(['auto', '2025-11-25', '2026-07-28']).default('auto'),
  timeouts: z
    .strictObject({
      /** To start, agree on a protocol and list the tools. */
      connect: milliseconds.default(30_000),
      /** Silence allowed in a call; news of progress starts it over. */
      call: milliseconds.default(60_000),
      /** The longest a call may take, whatever it says. */
      callTotal: milliseconds.default(600_000),
      /** Between signs of life. */
      keepAlive: milliseconds.default(60_000),
    })
    .prefault({}),
  /** By the server's own tool names: other silence and total limits. */
  toolTimeouts: z
    .record(z.string(), z.strictObject({ call: milliseconds, callTotal: milliseconds }).partial())
    .default({}),
};

export const stdioServerSchema = z.strictObject({
  type: z.literal('stdio').default('stdio'),
  command: z.string().min(1),
  args: z.array(z.string()).max(256).default([]),
  /** Values may hold `${env:NAME}`. Nothing else of our environment is passed on, but PATH and such. */
  env: z.record(z.string().min(1), z.string()).default({}),
  cwd: z.string().min(1).optional(),
  ...shared,
});

const oauthSchema = z.strictObject({
  /** `authorization_code`: a person logs in once. `client_credentials`: the program itself does. */
  grant: z.enum(['authorization_code', 'client_credentials']).default('authorization_code'),
  /** Left out: registered with the authorization server at the first login, and kept. */
  clientId: z.string().min(1).optional(),
  /** May hold `${env:NAME}`. */
  clientSecret: z.string().min(1).optional(),
  scope: z.string().min(1).optional(),
  /** The loopback port a login comes back to. Default: a free one, kept for the next login. */
  callbackPort: z.int().min(1).max(65_535).optional(),
});

const webAddress = z.url({ protocol: /^https?$/ }).refine((text) => {
  // Also asked of what is no URL at all.
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '');
}, 'A URL with a password in it would be shown to people. Put the password into headers.');

export const httpServerSchema = z.strictObject({
  type: z.enum(['http', 'streamable-http']).default('http'),
  url: webAddress,
  /** Values may hold `${env:NAME}`. Sent to the server's own origin only. */
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/), z.string()).default({}),
  oauth: oauthSchema.optional(),
  ...shared,
});

export const mcpServerSchema = z.union([stdioServerSchema, httpServerSchema]);

/** All servers by name, as in `forge.yaml` under `mcp:` and in the file under `mcpServers`. */
export const mcpServersSchema = z
  .record(serverNameSchema, mcpServerSchema)
  .refine((servers) => Object.keys(servers).length <= 100, 'At most 100 MCP servers.');

export type StdioServerConfig = z.infer<typeof stdioServerSchema>;
export type HttpServerConfig = z.infer<typeof httpServerSchema>;
export type McpServerConfig = z.infer<typeof mcpServerSchema>;
/** What a person writes: everything with a default may be left out. */
export type McpServerInput = z.input<typeof mcpServerSchema>;
export type McpServers = z.infer<typeof mcpServersSchema>;

export function isStdio(config: McpServerConfig): config is StdioServerConfig {
  return config.type === 'stdio';
}
