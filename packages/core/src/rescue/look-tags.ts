import { thoughtEndAt } from './find-thought-end.ts';
import { hold, type Look, type LookContext, lookLiteral, plain, wait } from './look.ts';
import { isHalfTag, markerOf, squash } from './markers.ts';
import { readTurn } from './read-turn.ts';
import { lexTag, type Tag } from './tag.ts';
import type { ToolIndex } from './tool-index.ts';
import { readHeader } from './walk-harmony.ts';
import { lexXtml } from './xtml.ts';

/** A `<` at `at`: a tag or token, or the half of one. */
export function lookAngle(text: string, at: number, context: LookContext): Look {
  const tag = lexXtml(text, at) ?? lexTag(text, at);
  if (tag !== undefined) {
    const half = tag.token && (tag.name === 'open' || tag.name === 'close');
    if (half && text.length - tag.end < 400) return wait;
    return lookTag(text, tag, context);
  }
  if (isHalfTag(text, at)) return wait;
  if (text.length - at > 600) return plain(at + 1);
  const head = /^<[</|｜]*(?:DSML[|｜])? ?([\w:.▁-]+)[\s=/(Ġ]/.exec(text.slice(at, at + 60));
  const name = head?.[1] ?? '';
  if (name === '' || text.includes('<', at + 2)) return plain(at + 1);
  const whole = { start: at, end: at, name, close: false, selfClosing: false, token: false };
  return markerOf(whole) !== undefined || context.index.exact(name) !== undefined
    ? wait
    : plain(at + 1);
}

function lookTag(text: string, tag: Tag, { index, reasoned }: LookContext): Look {
  const { start, end } = tag;
  const marker = markerOf(tag);
  if (marker === undefined) {
    if (!tag.close && index.exact(tag.name) !== undefined) return hold;
    return plain(start + 1);
  }
  if (thoughtEndAt(text, start) !== undefined) return { kind: 'drop', end };
  switch (marker.role) {
    case 'think': {
      const inkling = squash(tag.name) === 'contentthinking';
      return { kind: 'thought', end, ...(inkling ? { closers: ['<|end_message|>'] } : {}) };
    }
    case 'wrapper':
      return marker.strong || reasoned || text.startsWith('<|', start)
        ? { kind: 'drop', end }
        : plain(end);
    case 'noise':
      return squash(tag.name) === 'messagesep' ? hold : { kind: 'drop', end };
    case 'xtml':
      return { kind: 'drop', end };
    case 'turn':
      return lookTurn(text, tag);
    case 'harmony':
    case 'recipient':
      return lookHeader(text, tag);
    case 'open':
      if (marker.strong || tag.value !== undefined || tag.attributes !== undefined) return hold;
      return tag.close ? plain(end) : { kind: 'tag', from: start, closer: `</${tag.name}>` };
    case 'name':
      return tag.close ? plain(end) : lookName(text, tag, index);
    case 'parameter':
    case 'key':
    case 'value':
    case 'arguments':
      return plain(end);
    case 'close':
    case 'separator':
    case 'thinkEnd':
    case 'invented':
      return marker.strong ? hold : plain(end);
    default:
      return marker.role satisfies never;
  }
}

/** `<name>` is a call's only around a tool's name. */
function lookName(text: string, tag: Tag, index: ToolIndex): Look {
  const window = text.slice(tag.end, tag.end + index.longestName + 64);
  const next = window.indexOf('<');
  if (next === -1) return text.length - tag.end > index.longestName + 64 ? plain(tag.end) : wait;
  return index.resolve(window.slice(0, next).trim()) === undefined ? plain(tag.end) : hold;
}

function lookTurn(text: string, tag: Tag): Look {
  const { role, end } = readTurn(text, tag);
  const more = end === tag.end || text.charAt(end - 1) !== '>';
  if (more && !tag.close && end + 17 > text.length && !text.includes('\n', end)) return wait;
  return role === 'assistant' ? { kind: 'drop', end } : hold;
}

const messageEnds = [
  '<|end|>',
  '<|start|>',
  '<|call|>',
  '<|return|>',
  '<|channel|>',
  '<|eom|>',
  '<|eot|>',
  '<|im_end|>',
];

function lookHeader(text: string, tag: Tag): Look {
  if (tag.name === 'channel' && text.charAt(tag.end - 2) !== '|') {
    if (tag.close) return { kind: 'drop', end: tag.end };
    return lookLiteral(text, tag.end, 'thought', {
      kind: 'thought',
      end: tag.end + 7,
      closers: ['<channel|>'],
    });
  }
  const { recipient, channel, end, role } = readHeader(text, tag);
  const complete = text.slice(Math.max(0, end - 11), end) === '<|message|>';
  if (!complete) return text.length - tag.end > 320 ? hold : wait;
  if (role !== 'assistant') return hold;
  if (recipient === 'self' || (recipient === undefined && channel === 'analysis')) {
    return { kind: 'thought', end, closers: messageEnds };
  }
  return recipient === undefined || recipient === 'all' || recipient === 'final'
    ? { kind: 'drop', end }
    : hold;
}
