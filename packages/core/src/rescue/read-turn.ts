import { squash } from './markers.ts';
import type { Tag } from './tag.ts';

/** Tokens with the role behind them, in plain letters. */
const announcers = new Set([
  'imstart',
  'startheaderid',
  'headerstart',
  'startofrole',
  'imassistant',
  'imuser',
  'imsystem',
  'turn',
]);

const closers = ['<|end_header_id|>', '<|header_end|>', '<|end_of_role|>', '<|im_middle|>'];

export interface Turn {
  /** Who speaks; `assistant` whatever the model calls itself. */
  readonly role: string;
  readonly end: number;
}

/** The header of a turn: `<|im_start|>user`, `<|turn>model`, `<|user|>`. `<turn|>` ends one. */
export function readTurn(text: string, tag: Tag): Turn {
  const self = squash(tag.name);
  if (tag.close) return { role: 'assistant', end: tag.end };
  if (!announcers.has(self)) return { role: self, end: tag.end };
  const word = /^[a-z]{0,20}/i.exec(text.slice(tag.end, tag.end + 20))?.[0] ?? '';
  const end = tag.end + word.length;
  const closer = closers.find((token) => text.startsWith(token, end));
  return {
    role: word === 'model' ? 'assistant' : word,
    end: end + (closer?.length ?? 0),
  };
}
