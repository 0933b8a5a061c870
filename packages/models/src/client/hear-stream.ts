import { createNdjsonDecoder, createSseDecoder } from '../framing/index.ts';
import { eventsOfReply } from '../wire/events-of-reply.ts';
import { ModelError } from '../wire/model-error.ts';
import type { Frame, StreamEvent } from '../wire/wire.ts';
import type { Line } from './client-options.ts';
import type { Deadlines } from './deadlines.ts';
import { hearWhole, isPage, unreadable } from './hear-whole.ts';
import type { Exchange } from './open-exchange.ts';
import { readBody } from './read-body.ts';
import { refusal } from './send-request.ts';

/**
 * The events of a streamed reply, each as soon as its bytes are there. Errors in the stream are
 * thrown. A server that answers in one piece although it was asked to stream is heard too. What
 * goes wrong after the `finish` event no longer matters.
 */
export async function* hearStream(
  line: Line,
  exchange: Exchange,
  deadlines: Deadlines,
): AsyncGenerator<StreamEvent> {
  const type = exchange.headers['content-type'] ?? '';
  if (isPage(exchange)) {
    const { text } = await readBody(exchange.body, 4096);
    throw new ModelError({ ...unreadable(exchange, text), body: text });
  }
  if (line.wire.framing === 'sse' && /^application\/json/i.test(type)) {
    yield* eventsOfReply(await hearWhole(line, exchange));
    return;
  }
  let finished = false;
  try {
    for await (const event of decode(line, exchange, deadlines)) {
      if (event.type === 'error') throw refusal(line, event.error);
      if (event.type !== 'start') deadlines.begin();
      if (event.type === 'finish') {
        finished = true;
        deadlines.complete();
      }
      yield event;
    }
  } catch (error) {
    if (!finished) throw error;
  }
}

async function* decode(
  line: Line,
  exchange: Exchange,
  deadlines: Deadlines,
): AsyncGenerator<StreamEvent> {
  const framing = line.wire.framing === 'sse' ? createSseDecoder() : createNdjsonDecoder();
  const decoder = line.wire.createStreamDecoder();
  for await (const chunk of timed(exchange.body, deadlines)) {
    yield* eventsOf(framing.push(chunk), decoder);
  }
  yield* eventsOf(framing.end(), decoder);
  yield* decoder.end();
}

function* eventsOf(
  frames: readonly Frame[],
  decoder: { push(frame: Frame): readonly StreamEvent[] },
): Generator<StreamEvent> {
  for (const frame of frames) yield* decoder.push(frame);
}

/** The chunks, with the stall limit running only while one is awaited. */
async function* timed(
  body: AsyncIterable<Uint8Array>,
  deadlines: Deadlines,
): AsyncGenerator<Uint8Array> {
  deadlines.wait();
  for await (const chunk of body) {
    deadlines.heard();
    yield chunk;
    deadlines.wait();
  }
  deadlines.heard();
}
