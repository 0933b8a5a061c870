import { skipSpace } from './chars.ts';
import type { Tag } from './tag.ts';
import { takeThought } from './walk-thoughts.ts';
import type { Walker } from './walker.ts';

/** A header is no longer than this. */
const HEADER = 300;

/** Recipients that are no tool. */
const people = new Set(['user', 'assistant', 'all', 'self', 'final']);

/**
 * Message headers of gpt-oss, Muse Glimmer and Functionary 2: who the text that follows is for.
 * A tool makes it arguments, the analysis channel or oneself makes it reasoning, anyone else
 * makes it content. Gemma 4 has a channel of its own for thoughts.
 */
export function readRecipient(walker: Walker, tag: Tag): number {
  const { scan } = walker;
  const { text } = scan;
  const { start } = tag;
  walker.close(start, start);
  if (tag.name === 'channel' && text.charAt(tag.end - 2) !== '|') {
    if (tag.close || !text.startsWith('thought', tag.end)) {
      scan.remove(start, tag.end, 'marker');
      return tag.end;
    }
    return takeThought(walker, { start, from: tag.end + 7, token: '<channel|>' });
  }
  const header = readHeader(text, tag);
  const { recipient, channel, end } = header;
  const from = headerStart(text, start);
  scan.remove(from, end, 'marker');
  if (header.role !== 'assistant' && scan.hasCall) {
    scan.invented = true;
    return end;
  }
  if (recipient === 'self' || (recipient === undefined && channel === 'analysis')) {
    return takeMessage(walker, from, end);
  }
  if (recipient === undefined || people.has(recipient)) {
    return recipient === 'user' ? messageEnd(text, end) : end;
  }
  const after = unknownBody(walker, recipient, end);
  if (after !== undefined) {
    scan.remove(from, after, 'call');
    return after;
  }
  const zone = walker.enter({
    start: from,
    opener: '',
    strong: true,
    form: 'token',
    format: tag.name === 'recipient' || tag.name === 'from' ? 'functionary' : 'harmony',
    textFrom: end,
  });
  zone.setName(recipient);
  return end;
}

/**
 * A message to a tool that is not there: nobody's text, unless it holds calls of its own, as
 * the recipient for parallel calls does.
 */
function unknownBody(walker: Walker, recipient: string, from: number): number | undefined {
  const { scan } = walker;
  if (scan.index.resolve(recipient) !== undefined) return undefined;
  const body = scan.text.charAt(skipSpace(scan.text, from));
  if (body === '{' || body === '<') return undefined;
  scan.reject(recipient, 'unknown tool');
  return messageEnd(scan.text, from);
}

export interface Header {
  readonly role: string;
  readonly channel: string | undefined;
  readonly recipient: string | undefined;
  readonly end: number;
}

const ends = ['<|message|>', '<|content|>'];

/** The rest of a header that the text ended in. */
const cutHeader =
  /^(?:assistant)?(?: ?to=[\w./:-]*)?(?:<\|(?:channel|constrain)\|>\w*(?: ?to=[\w./:-]*)? ?)*$/;

export function readHeader(text: string, tag: Tag): Header {
  const from = headerStart(text, tag.start);
  const window = text.slice(from, tag.end + HEADER);
  const body = Math.min(...ends.map((mark) => found(window, mark, 0) + mark.length));
  // Without a message token the arguments themselves end the header.
  const brace = found(window, '{', tag.end - from);
  const stop = Math.min(body, brace);
  const cut = cutHeader.test(window.slice(tag.end - from)) ? window.length : tag.end - from;
  const length = stop > window.length ? cut : stop;
  const head = window.slice(0, length);
  const role = /<\|start\|>([\w.-]+)/.exec(head)?.[1] ?? 'assistant';
  const recipient = /(?:to=|<\|recipient\|>\s*)([\w./:-]+)/.exec(head)?.[1];
  const channels = head.split('<|channel|>');
  const channel = channels.length > 1 ? /^\w+/.exec(channels.at(-1) ?? '')?.[0] : undefined;
  const real = recipient === 'assistant' ? undefined : recipient;
  return {
    role: role.startsWith('assistant') ? 'assistant' : role,
    channel,
    recipient: real,
    end: from + length,
  };
}

function found(window: string, mark: string, from: number): number {
  const at = window.indexOf(mark, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

/** The recipient may stand before the channel: ` to=functions.f<|channel|>…`. */
function headerStart(text: string, at: number): number {
  const window = text.slice(Math.max(0, at - 120), at);
  const to = /(?:^|\s)to=[\w./:-]+\s*$/.exec(window);
  return to === null ? at : at - window.length + to.index;
}

function takeMessage(walker: Walker, start: number, from: number): number {
  const { scan } = walker;
  const end = messageEnd(scan.text, from);
  scan.visits += end - from;
  const thought = scan.text.slice(from, end).trim();
  if (thought !== '') scan.reasoning.push(thought);
  scan.remove(start, end, 'reasoning');
  return end;
}

const messageEnds = ['end', 'start', 'call', 'return', 'channel', 'eom', 'eot', 'im_end'].map(
  (name) => `<|${name}|>`,
);

function messageEnd(text: string, from: number): number {
  for (let i = text.indexOf('<|', from); i !== -1; i = text.indexOf('<|', i + 2)) {
    if (messageEnds.some((mark) => text.startsWith(mark, i))) return i;
  }
  return text.length;
}

/** `analysis…assistantcommentary to=functions.f json{…}`: harmony with its tokens stripped. */
export function strippedHeader(
  before: string,
  glued: boolean,
): { readonly name: string; readonly length: number } | undefined {
  const found = (glued ? gluedHeader : plainHeader).exec(before);
  return found === null ? undefined : { name: found[1] ?? '', length: found[0].length };
}

const plainHeader =
  /(?:(?<![\w\u0080-\uffff])(?:assistant)?commentary )?(?<![\w\u0080-\uffff])to=([\w./:-]+)\s*(?:json|code)?\s*$/;
const gluedHeader = /(?:assistant)?(?:commentary|analysis)?\s*to=([\w./:-]+)\s*(?:json|code)?\s*$/;

/** `analysis…assistantfinal…`: the same, with an answer. Where the answer starts. */
export function strippedAnswer(walker: Walker): number {
  const { scan } = walker;
  const { text } = scan;
  const mark = 'assistantfinal';
  const at = text.startsWith('analysis') ? text.indexOf(mark) : -1;
  if (at === -1) return 0;
  const end = at + mark.length;
  scan.reasoning.push(text.slice(8, at).trim());
  scan.remove(0, end, 'reasoning');
  return end;
}
