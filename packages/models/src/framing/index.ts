export { encodeNdjson } from './encode-ndjson.ts';
export { encodeSse } from './encode-sse.ts';
export { defaultFrameLimit, type FrameDecoder, type FramingOptions } from './framing.ts';
export { createNdjsonDecoder } from './ndjson-decoder.ts';
export { createSseDecoder } from './sse-decoder.ts';
