import type { Wire } from '@forge/models';
import type { Answer } from './answer.ts';
import type { Behaviour, OddBackend } from './odd-backend.ts';
import type { RawConnection, RawResponse } from './raw-connection.ts';

/** One odd thing that happens to a proxy, and what has to come of it. */
export interface Row {
  /** Where every wait is short and replies are small. */
  readonly impatient?: boolean;
  /** The client's; OpenAI's chat unless said. */
  readonly wire?: Wire['name'];
  /** What the client sends: a body, or a whole conversation of its own making. */
  readonly send: Request | Conversation;
  /** What the backend does, request by request; as usual unless said. */
  readonly backend?: Behaviour | readonly Behaviour[];
  /** The status, or those that are right. */
  readonly status: number | readonly number[];
  /** What the last response has to be. `any` where only status and shape count. */
  readonly is: 'reply' | 'error' | 'any';
  readonly check?: (answer: Answer) => void;
}

export interface Request {
  /** A string or bytes as they are; else as JSON. */
  readonly body?: unknown;
  readonly method?: string;
  readonly target?: string;
  readonly version?: '1.0' | '1.1';
  /** Lines besides `Host` and `Content-Length`. `null` leaves one of those out. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** Speaks freely, and gives the response to be judged; nothing where there is none to have. */
export type Conversation = (
  connection: RawConnection,
  backend: OddBackend,
) => Promise<RawResponse | undefined>;

const targets: Readonly<Record<Wire['name'], string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/v1/messages',
  gemini: '/v1beta/models/m:generateContent',
  ollama: '/api/chat',
};

/** The bytes of a request. */
export function write(request: Request, wire: Wire['name'] = 'openai-chat'): Buffer {
  const { body = '', method = 'POST', target = targets[wire], version = '1.1' } = request;
  const bytes =
    typeof body === 'string' || body instanceof Uint8Array
      ? Buffer.from(body)
      : Buffer.from(JSON.stringify(body));
  const headers: Record<string, string | null> = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...request.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === null ? [] : `${name}: ${value}\r\n`,
  );
  const head = `${method} ${target} HTTP/${version}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}
