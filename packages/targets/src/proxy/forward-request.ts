import {
  type Agent,
  request as ask,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { messageOf } from '@forge/core';
import { endToEndHeaders, hasBody, requestHeaders } from './forward-headers.ts';

/** Until the first byte of an answer. */
const answerMs = 300_000;

/**
 * Passes one request on and its answer back, both as they come. Requests without a body use
 * connections again; one that was closed at that very moment is asked once more on a fresh one, which
 * such requests allow.
 */
export function forwardRequest({
  request,
  response,
  port,
  agent,
  failed,
}: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly port: number;
  readonly agent: Agent;
  readonly failed: (status: 502 | 504, why: string) => void;
}): void {
  const { method = 'GET', url = '/' } = request;
  const headers = requestHeaders(request);
  const isRepeatable = ['GET', 'HEAD', 'OPTIONS'].includes(method) && !hasBody(request);
  let upstream: ClientRequest | undefined;

  const send = (reuse: boolean) => {
    let isLate = false;
    const current = ask({
      ...{ host: '127.0.0.1', port, method, path: url, headers },
      agent: reuse ? agent : false,
    });
    upstream = current;
    const timer = setTimeout(() => {
      isLate = true;
      current.destroy();
    }, answerMs);
    const isNone = () => failed(502, 'gave no answer that can be passed on');
    current.once('close', () => clearTimeout(timer));
    current.once('response', (answer) => {
      clearTimeout(timer);
      if (!passBack(answer, response)) isNone();
    });
    current.once('upgrade', (_, socket) => {
      socket.destroy(); // Nobody asked for another protocol.
      isNone();
    });
    current.once('error', (error) => {
      if (response.destroyed) return;
      if (reuse && current.reusedSocket && !response.headersSent && !isLate) send(false);
      else if (isLate) failed(504, `did not answer within ${answerMs / 1000} s`);
      else failed(502, `does not answer (${messageOf(error)})`);
    });
    if (isRepeatable) current.end();
    // Errors of either side are heard where they arise.
    else pipeline(request, current, () => {});
  };

  response.once('close', () => {
    if (!response.writableFinished) upstream?.destroy();
  });
  send(isRepeatable);
}

/** False for an answer whose head Node.js reads but does not write, such as the status 099. */
function passBack(answer: IncomingMessage, response: ServerResponse): boolean {
  const { statusCode = 502, statusMessage = '' } = answer;
  try {
    response.writeHead(statusCode, statusMessage, endToEndHeaders(answer));
  } catch {
    answer.destroy();
    return false;
  }
  pipeline(answer, response, (error) => {
    if (error != null) response.destroy();
  });
  return true;
}
