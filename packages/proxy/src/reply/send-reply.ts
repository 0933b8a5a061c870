import type { IncomingHttpHeaders } from 'node:http';
import type { ModelError } from '@forge/models';
import { corsHeaders } from '../server/cors.ts';
import { responseHeaders } from '../server/response-headers.ts';
import { sendError } from '../server/send-error.ts';
import type { Taken } from '../turn/turn.ts';
import { flatHeaders } from '../upstream/flat-headers.ts';
import { replyFor } from './for-wire.ts';
import { markers } from './markers.ts';
import type { ReplyJob } from './reply-job.ts';

/** The backend's own bytes, one write. */
export function sendRaw(
  { response }: ReplyJob,
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
) {
  const kept = responseHeaders(flatHeaders(headers), { isRewritten: true });
  kept.push('content-length', String(body.length));
  response.writeHead(status, kept);
  response.end(body);
}

/** A reply in the client's wire, with a word about what was done to it. */
export function sendReply(job: ReplyJob, taken: Taken) {
  const { wire, backend, response } = job;
  const reply = replyFor(wire, backend.wire, taken.reply);
  const body = Buffer.from(JSON.stringify(wire.encodeReply(reply)));
  response.writeHead(200, [
    'content-type',
    'application/json',
    'content-length',
    String(body.length),
    ...markers(taken, job.turn().attempts.length),
    ...corsHeaders,
  ]);
  response.end(body);
}

/** An error in the client's wire. */
export function failJob(job: ReplyJob, error: ModelError) {
  if (job.hasLeft) return;
  const status = sendError(job.response, { wire: job.wire, error });
  job.done({ status, outcome: 'failed', error });
}
