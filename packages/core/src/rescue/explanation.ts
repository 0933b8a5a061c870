import type { Intervals } from './intervals.ts';
import type { FoundCall } from './scan.ts';

const WINDOW = 300;

/** Words in the sentence before a quoted call that say it is one. */
const examples = [
  'example',
  'for instance',
  'e.g.',
  'how to ',
  'would look',
  'looks like',
  'look like',
  'to call a ',
  'is called like',
  'is written',
  'writes',
  'syntax',
  'template',
];

/** Words that speak of what the reader may do. */
const advice = ['you can ', 'you could ', 'you would ', 'you may ', 'you should ', 'you might '];

const afterwards = [
  'replace ',
  'whole format',
  'the format',
  'in this example',
  'this example',
  'as shown',
  'is how ',
  'placeholder',
];

/** Words by which a model announces what it does next. */
const announcements = [
  "i'll ",
  'i’ll ',
  'i will ',
  'let me ',
  "i'm going",
  'i am going',
  'i need to ',
  'i should ',
  'calling ',
  'i have to ',
  'i must ',
];

/**
 * Whether a call is shown rather than made: it is quoted in a reply that explains. Special tokens
 * and labels are never quotations. A call in a fence is one if the words before it speak of an
 * example or of what the reader may do, or those after it of its format; a bare tag only if it
 * also has prose behind it. A model that says what it does next is not explaining.
 * `removed` holds calls and reasoning, beyond which no words count.
 */
export function isExplained(text: string, call: FoundCall, removed: Intervals): boolean {
  if (call.form === 'token' || call.form === 'label') return false;
  const { fence } = call;
  const start = fence?.start ?? call.start;
  const end = fence?.end ?? call.end;
  const from = Math.max(0, start - WINDOW, removed.lastEnd(start));
  const to = Math.min(text.length, end + WINDOW, removed.nextStart(end) ?? text.length);
  const before = text.slice(from, start).toLowerCase();
  const after = text.slice(Math.min(end, to), to).toLowerCase();
  const sentence = lastSentence(before);
  if (announcements.some((words) => sentence.includes(words)) && !sentence.includes('example')) {
    return false;
  }
  const has = (words: string): boolean => sentence.includes(words);
  const shown = examples.some(has) || before.includes('example');
  const advised = advice.some(has);
  const discussed = before.trim() !== '' && afterwards.some((words) => after.includes(words));
  const prose = after.replaceAll(/<[^<>]{0,40}>/g, '').trim() !== '';
  if (fence !== undefined) return shown || advised || discussed;
  if (call.form !== 'tag') return shown || discussed || (advised && prose);
  return (shown || advised || discussed) && prose;
}

/** From the last full stop or blank line on, but not an empty rest. */
function lastSentence(before: string): string {
  const trimmed = before.trimEnd();
  const stop = Math.max(
    trimmed.lastIndexOf('. ', trimmed.length - 2),
    trimmed.lastIndexOf('\n\n', trimmed.length - 2),
    trimmed.lastIndexOf('! '),
    trimmed.lastIndexOf('? '),
  );
  return `${trimmed.slice(stop + 1)} `;
}
