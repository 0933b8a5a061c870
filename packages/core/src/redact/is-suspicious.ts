import { escapes, shortestRun, tokenShapes } from './secret-shapes.ts';

const prefixes = tokenShapes.flatMap((shape) => shape.prefixes).join('|');

/** What every secret, or the run it stands in with the word before, has in it. */
const alarming = new RegExp(
  [
    `(?:(?<![\\w-])|(?<=${escapes}))(?:${prefixes})`,
    // A colon in the place of a password, and no port.
    ':\\/\\/[^/?#@:]*:(?!\\d{1,5}(?:$|[/?#]))',
    'eyJ[\\w-]{8}',
    'ya29\\.',
    '[Aa]ccess_?[Kk]ey|ACCESS_KEY|[Ss]ession_?[Tt]oken|SESSION_TOKEN',
    '[Bb](?:earer|asic) |B(?:EARER|ASIC) ',
  ].join('|'),
);

/** Letters, digits, and what else stands in keys, addresses and base64. */
const dense = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w\-+/=.~:@%]/.test(String.fromCharCode(code)) ? 1 : 0,
);
/** So much of what stands before a run is looked at with it: the name of a field, the kind of a key. */
const before = 24;

/**
 * Whether a text may hold a secret, for a fraction of the cost of a search. Each secret stands in a
 * run of at least `shortestRun` characters without a space; such a run covers at least one of every
 * `shortestRun` places, so of ordinary words only some characters are looked at.
 */
export function isSuspicious(text: string): boolean {
  for (let at = shortestRun - 1; at < text.length; at += shortestRun) {
    if (!isDense(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isDense(text.charCodeAt(start - 1))) start -= 1;
    while (at + 1 < text.length && isDense(text.charCodeAt(at + 1))) at += 1;
    if (at + 1 - start < shortestRun) continue;
    if (alarming.test(text.slice(Math.max(0, start - before), at + 1))) return true;
  }
  return text.includes('-----BEGIN');
}

function isDense(code: number): boolean {
  return code < 128 && dense[code] === 1;
}
