import type {
  AssistantPart,
  ImagePart,
  Message,
  TextPart,
  ToolResultPart,
} from '../messages/message.ts';
import type { ToolSpec } from '../models.ts';

type Part = AssistantPart | ImagePart | TextPart | ToolResultPart;

/** Role, delimiters and template text around one message. */
const messageOverhead = 4;
/** Braces, keys and quotes around one call or result. */
const callOverhead = 6;
/** The wrapper a provider puts around one tool definition. */
const toolOverhead = 10;
/**
 * Flat, whatever the size: the bytes do not say what a provider will charge. Near the upper end
 * of what the large providers count for one picture, so that the estimate errs on the safe side.
 */
export const imageTokens = 1_600;

/** Letters and digits in one unbroken run beyond this are hashes or base64, not words. */
const longestWord = 16;

const partTokens = new WeakMap<Part, number>();
const toolTokens = new WeakMap<readonly ToolSpec[], number>();

/**
 * What a message costs when it is sent: text, reasoning, images, calls with their names, ids and
 * arguments, results, and the message's own overhead. Never 0. An estimate, to be corrected with
 * {@link calibrate}. Counts are kept per part object, so a part must not be changed in place.
 */
export function estimateMessageTokens(message: Message): number {
  let tokens = messageOverhead;
  for (const part of message.content) tokens += estimatePart(part);
  return Math.ceil(tokens);
}

/** What the tool definitions cost with every request. Kept per array. */
export function estimateToolTokens(tools: readonly ToolSpec[]): number {
  const known = toolTokens.get(tools);
  if (known !== undefined) return known;
  let tokens = 0;
  for (const { name, description, inputSchema } of tools) {
    tokens += toolOverhead + weigh(name) + weigh(description) + weigh(JSON.stringify(inputSchema));
  }
  const total = Math.ceil(tokens);
  toolTokens.set(tools, total);
  return total;
}

export function estimateTextTokens(text: string): number {
  return Math.ceil(weigh(text));
}

function estimatePart(part: Part): number {
  const known = partTokens.get(part);
  if (known !== undefined) return known;
  const tokens = countPart(part);
  partTokens.set(part, tokens);
  return tokens;
}

function countPart(part: Part): number {
  switch (part.type) {
    case 'text':
      return weigh(part.text);
    case 'image':
      return imageTokens;
    case 'reasoning':
      return weigh(part.text) + weigh(part.signature ?? '');
    case 'tool_call':
      return (
        callOverhead +
        weigh(part.id) +
        weigh(part.name) +
        weigh(part.argsText ?? JSON.stringify(part.args))
      );
    case 'tool_result': {
      let tokens = callOverhead + weigh(part.callId) + weigh(part.name);
      for (const inner of part.content) tokens += estimatePart(inner);
      return tokens;
    }
    case 'opaque':
      return weigh(JSON.stringify(part.value));
    default:
      return part satisfies never;
  }
}

/**
 * Tokens per character by kind of character. Fitted to two public byte-pair vocabularies of
 * 100,000 and 200,000 entries over prose, code, JSON, logs, listings and base64: within a fifth of
 * the real count on each, where a flat four characters per token is off by up to two and a half
 * times (digits, hashes). Scripts other than Latin lie between the two vocabularies.
 */
function weigh(text: string): number {
  let tokens = 0;
  let run = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 128) {
      run = 0;
      tokens += weighBeyondAscii(code);
    } else if (isLetter(code)) {
      run++;
      tokens += run > longestWord ? 0.6 : 0.225;
    } else if (code >= 48 && code <= 57) {
      run++;
      tokens += 0.55;
    } else {
      run = 0;
      tokens += code === 32 ? 0.15 : 0.55;
    }
  }
  return tokens;
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

function weighBeyondAscii(code: number): number {
  if (code < 0x900) return 0.55; // accents, Greek, Cyrillic, Hebrew, Arabic
  if (code < 0x2e80) return 0.75; // scripts of South and South-East Asia, symbols, arrows, boxes
  return 1; // Chinese, Japanese, Korean; each half of an emoji
}
