import { ForgeError, untilAborted } from '@forge/core';
import type { CallToolResult, Transport } from '@modelcontextprotocol/client';
import type { Hide } from '../config/hide-secrets.ts';
import type { McpServerConfig } from '../config/mcp-config.ts';
import { type CallRequest, Calls } from './calls.ts';
import { endClient } from './end-client.ts';
import { type ErrorKind, explainError, judgeError } from './judge-error.ts';
import { keepAlive } from './keep-alive.ts';
import { listTools, type ToolList } from './list-tools.ts';
import { type OpenedClient, openClient } from './open-client.ts';
import type { ServerPorts } from './ports.ts';
import { type ReconnectPolicy, reconnectDelay } from './reconnect-delay.ts';
import { ServerError } from './server-error.ts';
import { watchTools } from './watch-tools.ts';

export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'failed';

export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** When it came into this state, in milliseconds since 1970. */
  readonly since: number;
  /** Why it failed last, kept until it is connected. */
  readonly error?: string;
  /** When it tries again by itself. */
  readonly retryAt?: number;
  /** Only a person's login helps. */
  readonly loginRequired?: boolean;
  readonly protocol?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
}

export interface ConnectionOptions {
  readonly server: string;
  readonly config: McpServerConfig;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly ports: ServerPorts;
  readonly createTransport: () => Transport & { readonly ending?: string };
  readonly hide: Hide;
  readonly reconnect: ReconnectPolicy;
  readonly now: () => number;
  readonly random: () => number;
  /** The state or the list of tools is another one. */
  readonly onChange: () => void;
}

interface Live extends OpenedClient {
  readonly since: number;
  readonly stop: AbortController;
  readonly calls: Calls;
}

/**
 * One server, connected when it can be, for all who call it. Failures never reach anyone but the
 * caller of a tool: they are the state, and are tried again with growing pauses.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closed = new AbortController();
  #status: ConnectionStatus;
  #list: ToolList | undefined;
  #live: Live | undefined;
  #opening: Promise<Live> | undefined;
  #closing = new Set<Promise<void>>();
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#status = { state: 'idle', since: options.now() };
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** As of the last time it was connected. */
  get list(): ToolList | undefined {
    return this.#list;
  }

  /** Connects in the background. The result is the state. */
  start(): void {
    this.#connect().catch(() => {});
  }

  /** A connected client's tools, or why there are none. */
  async ready(signal: AbortSignal): Promise<ToolList> {
    await untilAborted(() => this.#connect(), signal);
    return this.#list ?? { tools: [], notes: [] };
  }

  /** Drops what there is and connects anew, now: after a login, or when a person says so. */
  async restart(): Promise<void> {
    await this.#opening?.catch(() => {});
    if (this.#live !== undefined) this.#drop(this.#live);
    this.#failures = 0;
    this.start();
  }

  /** Rejects with a message fit for a model and a person; secrets are not in it. */
  async call(request: CallRequest): Promise<CallToolResult> {
    const { signal } = request;
    for (let again = false; ; again = true) {
      const live = await untilAborted(() => this.#connect(), signal);
      try {
        const result = await live.calls.send(live.client, request);
        this.#failures = 0;
        return result;
      } catch (error) {
        signal.throwIfAborted();
        const kind = judgeError(error, live.transport.sessionId !== undefined);
        this.#learn(live, kind, error);
        // Refused unread, so that sending it once more cannot do it twice. Nothing else is repeated.
        if (kind !== 'session' || again) throw this.#tell(kind, error);
      }
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new ForgeError('cancelled', 'The MCP server is being disconnected.'));
    clearTimeout(this.#retry);
    await this.#opening?.catch(() => {});
    if (this.#live !== undefined) this.#drop(this.#live);
    await Promise.all(this.#closing);
  }

  #connect(): Promise<Live> {
    if (this.#live !== undefined) return Promise.resolve(this.#live);
    if (this.#closed.signal.aborted) return Promise.reject(this.#closed.signal.reason);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<Live> {
    clearTimeout(this.#retry);
    const { now, config } = this.#options;
    const { error } = this.#status;
    this.#become({ state: 'connecting', since: now(), error });
    const signal = AbortSignal.any([
      this.#closed.signal,
      AbortSignal.timeout(config.timeouts.connect),
    ]);
    const calls = new Calls(now);
    let live: Live | undefined;
    let transport: ReturnType<ConnectionOptions['createTransport']> | undefined;
    try {
      const opened = await openClient({
        ...this.#options,
        createTransport: () => {
          transport = this.#options.createTransport();
          return transport;
        },
        signal,
        unhurried: (task) => calls.unhurried(task),
        askPerson: () => calls.askPerson(),
      });
      live = { ...opened, since: now(), stop: new AbortController(), calls };
      const list = await listTools(live.client, { signal, timeout: config.timeouts.connect });
      signal.throwIfAborted();
      if (live.client.transport === undefined) throw new Error('It closed the connection at once.');
      this.#settle(live, list);
      return live;
    } catch (error) {
      if (live !== undefined) this.#drop(live);
      const timedOut = signal.aborted && !this.#closed.signal.aborted;
      const why = timedOut
        ? new ForgeError('tool_timeout', `It was not ready within ${config.timeouts.connect} ms.`)
        : error;
      const ending = transport?.ending;
      const told =
        ending === undefined ? why : new Error(`${explainError(why)} (the process ${ending})`);
      if (judgeError(error, false) === 'login') this.#fail(error);
      else this.#failAndRetry(told);
      throw this.#tell('answered', new Error(`It is not connected. ${explainError(told)}`));
    }
  }

  #settle(live: Live, list: ToolList): void {
    const { client } = live;
    const { config, now } = this.#options;
    this.#live = live;
    this.#list = list;
    const lost = (error: unknown) => {
      if (this.#live !== live) return;
      this.#drop(live);
      this.#failAndRetry(error, live);
    };
    client.onclose = () => lost(new Error('The connection was closed by the server.'));
    const { signal } = live.stop;
    keepAlive({ client, every: config.timeouts.keepAlive, signal, onSilence: lost });
    watchTools({
      client,
      signal,
      timeout: config.timeouts.connect,
      onList: (fresh) => {
        this.#list = fresh;
        this.#options.onChange();
      },
    });
    this.#become({
      state: 'connected',
      since: now(),
      protocol: client.getNegotiatedProtocolVersion(),
      serverInfo: client.getServerVersion(),
    });
  }

  /** What a failed call says about the connection, which others may have replaced already. */
  #learn(live: Live, kind: ErrorKind, error: unknown): void {
    if (kind === 'answered' || this.#live !== live) return;
    // The other calls of a lost session are to hear for themselves that it is.
    if (kind === 'session') this.#drop(live, live.calls.idle());
    else this.#drop(live);
    if (kind === 'login') this.#fail(error);
    if (kind === 'gone') this.#failAndRetry(error, live);
  }

  /** Lets go of a client. Its process or session ends in the background; `close` waits for that. */
  #drop(live: Live, first: Promise<unknown> = Promise.resolve()): void {
    if (this.#live === live) this.#live = undefined;
    live.stop.abort();
    const done = first.then(() => endClient(live)).finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }

  #fail(error: unknown): void {
    const { hide, now } = this.#options;
    const loginRequired = judgeError(error, false) === 'login';
    const said = hide(explainError(error));
    this.#become({
      state: 'failed',
      since: now(),
      error: said,
      ...(loginRequired && { loginRequired }),
    });
  }

  #failAndRetry(error: unknown, live?: Live): void {
    this.#fail(error);
    if (this.#closed.signal.aborted) return;
    const { reconnect, random, now } = this.#options;
    if (live !== undefined && now() - live.since >= reconnect.steadyAfter) this.#failures = 0;
    this.#failures++;
    const delay = reconnectDelay(reconnect, { failures: this.#failures, random });
    if (delay === undefined) return;
    this.#become({ ...this.#status, retryAt: now() + delay });
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.start(), delay);
    this.#retry.unref();
  }

  #tell(kind: ErrorKind, error: unknown): ForgeError {
    if (ForgeError.is(error)) return error;
    const { server, hide } = this.#options;
    const doubt = 'Whether the call was carried out is not known; it was not repeated.';
    const note = kind === 'gone' ? doubt : '';
    return new ServerError({ server, said: hide(explainError(error)), note });
  }

  #become(status: ConnectionStatus): void {
    this.#status = status;
    this.#options.onChange();
  }
}
