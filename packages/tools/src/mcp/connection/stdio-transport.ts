import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ForgeError, messageOf } from '@forge/core';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { createLineReader } from '../processes/line-reader.ts';
import type { Admission } from '../processes/process-ledger.ts';
import type { Tail } from '../processes/tail.ts';

export interface StdioTransportOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly admission: Admission;
  /** What it writes beside the protocol, for people. */
  readonly log: Tail;
  readonly mostMessageBytes: number;
  /** Milliseconds between closing its input, asking it to end, and ending it. */
  readonly grace: number;
}

const mostWaitingBytes = 16 * 1024 * 1024;
const pipesGrace = 1_000;
/** After SIGKILL only the kernel is waited for. */
const killedWait = 5_000;

/**
 * A server as a child process that leads a process group of its own. Closing ends the whole group:
 * first its input ends, which is how the protocol says goodbye, then it is asked, then killed.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** The two fields by which the protocol's client knows that this is a local pipe. */
  readonly stderr = null;
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  readonly #options: StdioTransportOptions;
  /** The contexts requests were sent in, by their ids, until they are answered or given up. */
  readonly #contexts = new Map<unknown, ReturnType<typeof AsyncLocalStorage.snapshot>>();
  #child: ChildProcess | undefined;
  #closing: Promise<void> | undefined;
  /** How it ended, once it has. */
  #ending: string | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  /** What is known about why it is gone, for a person. */
  get ending(): string | undefined {
    return this.#ending;
  }

  async start(): Promise<void> {
    if (this.#closing !== undefined) throw new SdkError(SdkErrorCode.NotConnected, 'Closed');
    const { command, args, environment, cwd, admission, log, mostMessageBytes } = this.#options;
    const child = spawn(command, args, {
      cwd,
      env: { ...environment, ...admission.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    const { stdin, stdout, stderr } = child;
    child.once('exit', (code, signal) => {
      this.#ending = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      // Now, as the number of the group may belong to others later.
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      admission.endLeftovers();
      // Who got away may hold the pipes open for ever. What is in them has long been read by then.
      setTimeout(() => destroyPipes(child), pipesGrace).unref();
    });
    child.once('close', () => this.onclose?.());
    child.on('error', (error) => this.onerror?.(error));
    stdin.on('error', (error) => this.onerror?.(error));
    stdout.on('error', (error) => this.onerror?.(error));
    stderr.on('error', (error) => this.onerror?.(error));
    const decoder = new TextDecoder();
    stderr.on('data', (chunk: Buffer) => log.write(decoder.decode(chunk, { stream: true })));
    const read = createLineReader((line) => this.#receive(line), mostMessageBytes);
    stdout.on('data', (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
        void this.close();
      }
    });
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw new ForgeError(
        'not_found',
        `"${command}" could not be started: ${messageOf(error)}. Check the command and that it is on PATH.`,
        { cause: error },
      );
    }
    if (child.pid !== undefined) await admission.began(child.pid);
  }

  /** Whatever is not a message (a greeting, a stray print) is kept for people and passed over. */
  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch {
      this.#options.log.write(`[not a message] ${line.slice(0, 500)}\n`);
      return;
    }
    try {
      this.#contextOf(message)(() => this.onmessage?.(message));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    if (stdin.writableLength > mostWaitingBytes) {
      throw new SdkError(SdkErrorCode.SendFailed, 'The server does not read what it is sent.');
    }
    // What a server does not read waits in memory up to the limit above, and its call times out.
    stdin.write(serializeMessage(message));
    if (!('method' in message)) return;
    if ('id' in message) this.#contexts.set(message.id, AsyncLocalStorage.snapshot());
    else if (message.method === 'notifications/cancelled')
      this.#contexts.delete(message.params?.requestId);
  }

  /** An answer is received in the context of its request, as it is over HTTP. */
  #contextOf(message: JSONRPCMessage): (receive: () => void) => void {
    if ('method' in message || !('id' in message)) return (receive) => receive();
    const context = this.#contexts.get(message.id);
    this.#contexts.delete(message.id);
    return context ?? ((receive) => receive());
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const { grace } = this.#options;
    child.stdin?.end();
    if (await hasExited(child, grace)) return;
    signalGroup(child.pid, 'SIGTERM');
    if (await hasExited(child, grace)) return;
    signalGroup(child.pid, 'SIGKILL');
    await hasExited(child, killedWait);
    destroyPipes(child);
  }
}

function destroyPipes({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

async function hasExited(child: ChildProcess, within: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  const signal = AbortSignal.timeout(within);
  return await once(child, 'exit', { signal }).then(
    () => true,
    () => child.exitCode !== null || child.signalCode !== null,
  );
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // Nobody of the group is left.
  }
}
