import type { Frame } from '../wire/wire.ts';
import {
  defaultFrameLimit,
  type FrameDecoder,
  type FramingOptions,
  frameTooLong,
} from './framing.ts';
import { createLineSplitter } from './line-splitter.ts';

/**
 * Server-sent events by the rules of the WHATWG, except for the end: an event whose closing blank
 * line never came is given by `end()`, because servers forget it after `[DONE]`. A cut stream is
 * not mistaken for a whole one by that, since the first half of a JSON object does not parse.
 *
 * `id` and `retry` are for reconnecting, which a model call never does: read and dropped.
 */
export function createSseDecoder({ limit = defaultFrameLimit }: FramingOptions = {}): FrameDecoder {
  const splitter = createLineSplitter({ limit, carriageReturns: true });
  let event = '';
  let data: string | undefined;
  let size = 0;
  let frames: Frame[] = [];

  function addData(value: string): void {
    size += value.length + 1;
    if (size > limit) {
      data = undefined;
      throw frameTooLong(limit);
    }
    data = data === undefined ? value : `${data}\n${value}`;
  }

  function takeLine(line: string): void {
    if (line === '') dispatch();
    else if (line.startsWith('data:')) addData(valueAfter(line, 5));
    else if (line.startsWith('event:')) event = valueAfter(line, 6);
    else if (line === 'data') addData('');
    else if (line === 'event') event = '';
  }

  function dispatch(): void {
    if (data !== undefined) frames.push(event === '' ? { data } : { event, data });
    data = undefined;
    size = 0;
    event = '';
  }

  function takeFrames(): Frame[] {
    const taken = frames;
    frames = [];
    return taken;
  }

  return {
    push(bytes) {
      if (size > limit) throw frameTooLong(limit);
      splitter.push(bytes, takeLine);
      return takeFrames();
    },
    end() {
      takeLine(splitter.end());
      dispatch();
      return takeFrames();
    },
    get held() {
      return splitter.held + size;
    },
  };
}

const SPACE = 32;

function valueAfter(line: string, colon: number): string {
  return line.slice(line.charCodeAt(colon) === SPACE ? colon + 1 : colon);
}
