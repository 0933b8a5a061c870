import type { Frame } from '../wire/wire.ts';
import { defaultFrameLimit, type FrameDecoder, type FramingOptions } from './framing.ts';
import { createLineSplitter } from './line-splitter.ts';

/** One JSON text per line; blank lines are skipped and the last line needs no end. */
export function createNdjsonDecoder({
  limit = defaultFrameLimit,
}: FramingOptions = {}): FrameDecoder {
  const splitter = createLineSplitter({ limit, carriageReturns: false });
  return {
    push(bytes) {
      const frames: Frame[] = [];
      splitter.push(bytes, (line) => addFrame(frames, line));
      return frames;
    },
    end: () => addFrame([], splitter.end()),
    get held() {
      return splitter.held;
    },
  };
}

function addFrame(frames: Frame[], data: string): Frame[] {
  if (data.trim() !== '') frames.push({ data });
  return frames;
}
