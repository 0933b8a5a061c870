import type { ReplyKind } from './workload.ts';

const created = 1_760_000_000;
const fingerprint = 'fp_bench';
const usage = { prompt_tokens: 1180, completion_tokens: 61, total_tokens: 1241 };
const explanation =
  'The build is red because the compiler does not find the module the script names. I look at ' +
  'its configuration first, since a wrong include there explains all three errors at once, and ' +
  'only then at the sources it would have compiled.';

const intention =
  'I read the file as it stands in the repository, not as the editor shows it, and compare the ' +
  'paths it includes with those the error names before I touch either of them.';

/** The body of a whole reply: about 1,010 bytes with a call, a little less with text. */
export function wholeReply(kind: 'call' | 'text', serial: string): string {
  return JSON.stringify({
    id: `chatcmpl-${serial}`,
    object: 'chat.completion',
    created,
    model: kind,
    choices: [
      {
        index: 0,
        message: kind === 'call' ? callMessage(serial) : textMessage(serial),
        logprobs: null,
        finish_reason: kind === 'call' ? 'tool_calls' : 'stop',
      },
    ],
    usage: { ...usage, prompt_tokens_details: { cached_tokens: 1024 } },
    timings: { prompt_ms: 41.87, prompt_per_second: 3726.2, predicted_ms: 812.4 },
    system_fingerprint: fingerprint,
  });
}

function callMessage(serial: string) {
  const args = JSON.stringify({ path: `packages/demo/tsconfig-${serial}.json`, offset: 0 });
  return {
    role: 'assistant',
    content: `${explanation} ${intention}`,
    tool_calls: [
      { id: `call_${serial}`, type: 'function', function: { name: 'read_file', arguments: args } },
    ],
  };
}

function textMessage(serial: string) {
  return { role: 'assistant', content: `${explanation} Reference ${serial}. ${explanation}` };
}

/** The data of every event of a streamed reply. */
export function streamedReply(kind: 'stream-text' | 'stream-call', serial: string): string[] {
  const deltas = kind === 'stream-text' ? textDeltas() : callDeltas(serial);
  const finish = kind === 'stream-text' ? 'stop' : 'tool_calls';
  const event = (choices: readonly unknown[], extra = {}) =>
    JSON.stringify({
      id: `chatcmpl-${serial}`,
      object: 'chat.completion.chunk',
      created,
      model: kind,
      system_fingerprint: fingerprint,
      choices,
      ...extra,
    });
  const choice = (delta: unknown, finish_reason: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason },
  ];
  return [
    event(choice({ role: 'assistant', content: kind === 'stream-text' ? '' : null })),
    ...deltas.map((delta) => event(choice(delta))),
    event(choice({}, finish)),
    event([], { usage }),
    '[DONE]',
  ];
}

function textDeltas(): unknown[] {
  return Array.from({ length: 200 }, (_, at) => ({
    content: at % 12 === 11 ? ' line,\n' : ' word',
  }));
}

function callDeltas(serial: string): unknown[] {
  const args = JSON.stringify({
    path: `packages/demo/tsconfig-${serial}.json`,
    offset: 0,
    limit: 400,
  });
  const call = { index: 0, id: `call_${serial}`, type: 'function' };
  // The serial number stays in one piece, so that it can be filled in.
  const at = args.indexOf(serial);
  const pieces = [
    ...split(args.slice(0, at), 10),
    args.slice(at, at + serial.length),
    ...split(args.slice(at + serial.length), 12),
  ];
  return [
    { tool_calls: [{ ...call, function: { name: 'read_file', arguments: '' } }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ];
}

function split(text: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) =>
    text.slice(
      Math.round((at * text.length) / count),
      Math.round(((at + 1) * text.length) / count),
    ),
  );
}

export function isStreamed(kind: ReplyKind): kind is 'stream-text' | 'stream-call' {
  return kind === 'stream-text' || kind === 'stream-call';
}
