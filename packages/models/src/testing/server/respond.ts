import type { Sleep } from '../../retry/sleep.ts';
import { ModelError } from '../../wire/model-error.ts';
import type { Wire, WireRequest } from '../../wire/wire.ts';
import { aboutPage } from './about-page.ts';
import { compose, composeError, composeFault, composeLateError, type Response } from './compose.ts';
import { type DeliveryFault, isDeliveryFault, type Wait } from './fault.ts';
import { type Route, readRoute } from './read-route.ts';
import { answerOf, lineOf, type Script, toWireError } from './server-line.ts';
import { waitFor } from './wait-for.ts';

/** One request for a reply, as it came. */
export interface ScriptedExchange {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Undefined if the body could not be read as a request of the wire. */
  readonly request: WireRequest | undefined;
}

/** What the server is and has been asked. */
export interface Scene {
  readonly wire: Wire;
  readonly script: Script;
  readonly model: string;
  readonly contextLength: number | undefined;
  readonly sleep: Sleep;
  readonly exchanges: ScriptedExchange[];
  /** Requests that were given a line. */
  turns: number;
}

/** A response and how it is to be sent. */
export interface Staged {
  readonly response: Response;
  readonly chunkDelay?: Wait;
  readonly fault?: DeliveryFault;
}

/** The response to a request, after the delay its line may have. */
export async function respond(
  scene: Scene,
  incoming: Omit<ScriptedExchange, 'request'> & { readonly method: string },
  signal: AbortSignal,
): Promise<Staged> {
  const { method, path } = incoming;
  const route = readRoute(scene.wire, method, path);
  switch (route.type) {
    case 'unknown': {
      const message = `The scripted server has no ${method} ${path}.`;
      return { response: composeError(scene.wire, { kind: 'not_found', message }) };
    }
    case 'about': {
      const page = aboutPage(route.page, route.model ?? scene.model, scene.contextLength);
      const headers = { 'content-type': 'application/json' };
      return { response: { status: 200, headers, chunks: [JSON.stringify(page)] } };
    }
    case 'chat':
      return reply(scene, incoming, route, signal);
    default:
      return route satisfies never;
  }
}

async function reply(
  scene: Scene,
  { path, headers, body }: Omit<ScriptedExchange, 'request'>,
  { hints }: Extract<Route, { type: 'chat' }>,
  signal: AbortSignal,
): Promise<Staged> {
  const { wire, sleep, exchanges } = scene;
  let request: WireRequest;
  try {
    request = wire.decodeRequest(parseBody(body), hints);
  } catch (error) {
    exchanges.push({ path, headers, body, request: undefined });
    return { response: composeError(wire, toWireError(error)) };
  }
  exchanges.push({ path, headers, body, request });
  const turn = scene.turns++;
  const line = await lineOf(scene.script, turn, request);
  const { delay, chunkDelay, fault } = line;
  await waitFor(delay, { chunk: '', sleep, signal });
  if (fault !== undefined && !isDeliveryFault(fault) && fault.type !== 'late_error') {
    return { response: composeFault(wire, request, fault) };
  }
  const answer = await answerOf(line, request, turn);
  if (fault?.type === 'late_error') {
    const { error } = fault;
    return { response: composeLateError(wire, request, { answer, error }), chunkDelay };
  }
  return { response: compose(wire, request, answer), chunkDelay, fault };
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new ModelError({ kind: 'bad_request', message: 'The body is not JSON.' }, { cause });
  }
}
