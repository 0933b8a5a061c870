import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WireError, wires } from '@forge/models';
import { isInFlight, type LastResponse } from './last-response.ts';
import { composeError, sendError } from './send-error.ts';

/** Milliseconds a connection is kept after such an answer, for the client to read it. */
const lingering = 2_000;

/**
 * Answers what is no request (broken, too large a head, too slow) in OpenAI's shape and closes the
 * connection. An answer under way is never written into: if the fault is in the request being
 * answered, the connection is cut, and if it is in what came after, it is closed when the answer
 * is through.
 */
export function answerClientErrors(server: Server, lastResponse: LastResponse): void {
  const answered = new WeakSet<Duplex>();
  server.on('clientError', (fault: Error, socket: Duplex) => {
    if (answered.has(socket)) return;
    answered.add(socket);
    const response = lastResponse(socket);
    if (isReset(fault) || !socket.writable) {
      socket.destroy();
    } else if (!isInFlight(response)) {
      answerRaw(socket, errorOf(fault));
    } else if (response.req.complete) {
      response.once('finish', () => socket.end());
    } else if (response.headersSent) {
      socket.destroy();
    } else {
      sendError(response, { error: errorOf(fault), headers: ['connection', 'close'] });
    }
  });
}

/** Without a response to write to; ended first and read on, so that the answer is not lost. */
function answerRaw(socket: Duplex, error: WireError): void {
  const { status, fields, body } = composeError(wires['openai-chat'], error);
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n`;
  for (let at = 0; at < fields.length; at += 2) head += `${fields[at]}: ${fields[at + 1]}\r\n`;
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body]));
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingering);
  socket.once('close', () => clearTimeout(timer));
}

function errorOf(fault: Error): WireError {
  switch (codeOf(fault)) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        kind: 'bad_request',
        status: 431,
        message: "The headers are too large. Send fewer, or raise the proxy's header limit.",
      };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { kind: 'bad_request', status: 413, message: 'The chunk extensions are too large.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        kind: 'timeout',
        status: 408,
        message: 'The request took too long to arrive. Send it again.',
      };
    default:
      return {
        kind: 'bad_request',
        status: 400,
        message: `This is not HTTP/1.1 as it should be: ${fault.message.replace(/^Parse Error: /, '')}.`,
      };
  }
}

function isReset(fault: Error): boolean {
  return codeOf(fault) === 'ECONNRESET' || codeOf(fault) === 'EPIPE';
}

function codeOf(fault: Error): string {
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : '';
}
