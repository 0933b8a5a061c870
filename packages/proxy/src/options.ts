import type { ReasoningReplay, Switches } from '@forge/core';
import type { Wire } from '@forge/models';
import type { ProxyEvent } from './proxy-event.ts';

/** The server behind the proxy. */
export interface BackendOptions {
  /** With or without the version: `http://127.0.0.1:8080` and `http://127.0.0.1:8080/v1` are one. */
  readonly url: string;
  /** What it speaks. Requests of other wires are translated to it. Default `openai-chat`. */
  readonly wire?: Wire['name'];
  /** Sent instead of whatever key the client sent. Without it, the client's own key goes through. */
  readonly apiKey?: string;
  /** The model asked for, whatever the client says. */
  readonly model?: string;
  /** Whether the server knows tools, or they have to be described in the prompt. */
  readonly tools?: 'native' | 'prompt';
  /** Milliseconds of silence after which the backend is given up on. Default 300,000. */
  readonly timeout?: number;
  /** Milliseconds to get a connection. Default 10,000. */
  readonly connectTimeout?: number;
}

/** Steps that have to be done before a conversation may finish. They hold where these tools are offered. */
export interface StepRule {
  /** The rule is for requests that offer all of these. */
  readonly tools: readonly string[];
  readonly requiredSteps: readonly string[];
  readonly terminalTools?: readonly string[];
}

export interface GuardSettings {
  /** Refused replies in a row before the best one goes to the client. Default 3. */
  readonly maxRetries?: number;
  /** Failed tool calls in a row after which a session gets no more retries. Default 2. */
  readonly maxToolErrors?: number;
  readonly switches?: Partial<Switches>;
  /** Offer a `respond` tool beside the client's own, whose call becomes a plain answer. */
  readonly respondTool?: boolean;
  /** How much of earlier reasoning is sent again. `as_sent` leaves what the client sends alone. */
  readonly reasoningReplay?: ReasoningReplay | 'as_sent';
  readonly steps?: readonly StepRule[];
  /** When a retry is held to the shape of a call by the server. Default `on-retry`. */
  readonly constrain?: 'off' | 'on-retry' | 'always';
}

/** How much is taken at once, and how long anybody is waited for. */
export interface LimitOptions {
  /** Bytes of one request. Default 64 MiB. */
  readonly bodyBytes?: number;
  /** Bytes of a request's headers. Default 64 KiB. */
  readonly headerBytes?: number;
  /** Bytes of one reply that is held to be checked. Default 64 MiB. */
  readonly replyBytes?: number;
  /** Requests at the backend at once. Default 256. */
  readonly concurrency?: number;
  /** Requests that may wait for that. Default 1,024. */
  readonly queue?: number;
  /** Milliseconds for a client to send its headers. Default 30,000. */
  readonly headersTimeout?: number;
  /** Milliseconds for a client to send its whole request. Default 60,000. */
  readonly bodyTimeout?: number;
  /** Milliseconds a client may leave what was sent unread. Default 120,000. */
  readonly writeTimeout?: number;
  /** Milliseconds of silence on a stream before a heartbeat. Default 10,000. */
  readonly heartbeat?: number;
}

export interface ProxyOptions {
  readonly backend: BackendOptions;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 8081; 0 for any free one. */
  readonly port?: number;
  /** Callers have to send it, as `Authorization: Bearer` or `x-api-key`. */
  readonly apiKey?: string;
  readonly guard?: GuardSettings;
  readonly limits?: LimitOptions;
  /** Requests at the backend one after the other (true: one; a number: as many), by priority. */
  readonly serialize?: boolean | number;
  /** Remember steps, repetition and error budgets from one request of a session to the next. */
  readonly sessions?: boolean;
  /** A file to keep what was learned about each model in. */
  readonly learn?: string;
  /** Told of every request once it is over. */
  readonly onEvent?: (event: ProxyEvent) => void;
  /** Told of a failure of the proxy itself. The client of that request only learns that there was one. */
  readonly onBug?: (error: unknown) => void;
  /** Told what a person should know: that what was learned cannot be kept, say. */
  readonly onNotice?: (notice: string) => void;
  readonly now?: () => number;
}
