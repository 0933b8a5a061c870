import {
  ModelError,
  ReplyAssembler,
  type StreamEvent,
  type Wire,
  type WireReply,
} from '@forge/models';
import type { Ask } from '../ladder/ask.ts';
import type { Ruling, Taken } from '../turn/turn.ts';
import { replyPath } from '../upstream/backend-paths.ts';
import { bodyTooLarge, decodeWhole } from './decode-whole.ts';
import { framesFor } from './framing.ts';
import { inflate } from './inflate.ts';
import type { ReplyJob } from './reply-job.ts';

/**
 * Asks until a reply may go out. A backend that fails on the way does not lose the client what it
 * had: the best reply so far is taken. Each round adds a refusal or gives up a way of asking, so
 * there is an end.
 */
export async function askAgain(job: ReplyJob, first: Ruling): Promise<Taken> {
  let ruling = first;
  while (ruling.kind === 'again') {
    try {
      await job.hold?.boundary();
      const reply = await askBackend(job, ruling.ask);
      ruling = job.turn().judge(reply);
    } catch (error) {
      if (job.hasLeft) throw error;
      if (error instanceof ModelError) {
        ruling = job.turn().failed(error);
        continue;
      }
      // What is nested too deep to be written again is the request's fault, not ours.
      if (!(error instanceof RangeError)) job.onBug(error);
      ruling = job.turn().giveUp('not_askable');
    }
  }
  return ruling;
}

/** One more reply, whole. Streamed by the backend if the client's is, so that silence is noticed. */
function askBackend(job: ReplyJob, { request }: Ask): Promise<WireReply> {
  const { backend } = job;
  const { wire } = backend;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let type = '';
    let headers: Readonly<Record<string, string>> = {};
    if (job.hasLeft) return reject(new Error('The client left.'));
    job.call = backend.call(
      {
        method: 'POST',
        path: replyPath(wire, request),
        headers: job.headers,
        body: JSON.stringify(wire.encodeRequest(request)),
      },
      {
        head(code, received) {
          status = code;
          type = String(received['content-type'] ?? '');
          headers = Object.fromEntries(
            Object.entries(received).map(([name, value]) => [name, String(value)]),
          );
        },
        data(chunk) {
          size += chunk.length;
          if (size <= job.maxReplyBytes) {
            chunks.push(chunk);
            return;
          }
          job.call?.abort();
          reject(bodyTooLarge(job.maxReplyBytes));
        },
        end() {
          try {
            const body = unpacked(Buffer.concat(chunks), headers, job.maxReplyBytes);
            if (status < 200 || status > 299) {
              throw new ModelError(wire.decodeError({ status, headers, body: body.toString() }));
            }
            resolve(
              request.stream && !type.includes('application/json')
                ? assembleStream(wire, body)
                : decodeWhole(wire, body),
            );
          } catch (error) {
            reject(error);
          }
        },
        fail: reject,
      },
    );
  });
}

function unpacked(
  body: Buffer,
  { 'content-encoding': encoding = 'identity' }: Readonly<Record<string, string>>,
  most: number,
): Buffer {
  return encoding === 'identity' ? body : inflate(body, encoding, most);
}

function assembleStream(wire: Wire, body: Buffer): WireReply {
  const framing = framesFor(wire);
  const decoder = wire.createStreamDecoder();
  const assembler = new ReplyAssembler(wire.name);
  const take = (events: readonly StreamEvent[]) => {
    for (const event of events) assembler.push(event);
  };
  for (const frame of framing.push(body)) take(decoder.push(frame));
  for (const frame of framing.end()) take(decoder.push(frame));
  take(decoder.end());
  return assembler.reply();
}
