import { defineWire } from '../shared/define-wire.ts';
import type { Wire } from '../wire.ts';
import { decodeError } from './decode-error.ts';
import { decodeReply } from './decode-reply.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeError } from './encode-error.ts';
import { encodeReply } from './encode-reply.ts';
import { encodeRequest } from './encode-request.ts';
import { createStreamDecoder } from './stream-decoder.ts';
import { createStreamEncoder } from './stream-encoder.ts';
import { wireName } from './wire-name.ts';

export {
  countTokensPath,
  decodeCountTokensRequest,
  decodeTokenCount,
  encodeCountTokensRequest,
  encodeTokenCount,
} from './count-tokens.ts';
export { defaultMaxTokens } from './encode-request.ts';

/** Anthropic's Messages API, and what others serve in its shape. */
export const anthropicMessages: Wire = defineWire({
  name: wireName,
  framing: 'sse',
  path: () => '/v1/messages',
  encodeRequest,
  decodeRequest,
  encodeReply,
  decodeReply,
  createStreamDecoder,
  createStreamEncoder,
  decodeError: (response) => decodeError(response),
  encodeError,
});
