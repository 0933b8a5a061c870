import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Runs an example as a user would and gives back what it printed. */
async function play(path: string, ...args: string[]): Promise<string> {
  const file = fileURLToPath(new URL(path, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(code, 0, printed);
  return printed;
}

describe('the examples run', () => {
  it('minimal-agent', async () => {
    const printed = await play('minimal-agent/main.ts');
    assert.match(printed, /tool\.finished/);
    assert.match(printed, /completed - Take an umbrella/);
  });

  it('required-steps', async () => {
    assert.deepEqual((await play('required-steps/main.ts')).trim().split('\n'), [
      'refused: steps_missing',
      'refused: prerequisite_missing',
      'ran: read_sales',
      'ran: read_file',
      'ran: write_file',
      'ran: file_report',
      'completed - Q1: 1200.',
    ]);
  });

  it('sandboxed-agent', async () => {
    const printed = (await play('sandboxed-agent/main.ts', 'bubblewrap')).trim().split('\n');
    assert.deepEqual(printed.slice(0, 2), [
      'shell: 38',
      'write: [Denied] The rule write(.github/**) forbids this call of write: the pipeline is not yours. Do not send it again.',
    ]);
    assert.deepEqual(printed.slice(-4), [
      'your tree still has: echo $(($1 - $2))',
      '-echo $(($1 - $2))',
      '+echo $(($1 + $2))',
      'now it has: echo $(($1 + $2))',
    ]);
  });

  it('foreign-loop, against a server that speaks the OpenAI wire', async () => {
    const replies = [
      { content: 'It is probably sunny.' },
      { content: '[TOOL_CALLS]get_forecast{"city": "Oslo"}' },
      { content: 'Light rain, 12 °C.' },
    ];
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ choices: [{ message: replies.shift() }] }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const printed = await play('foreign-loop/main.ts', `http://127.0.0.1:${port}/v1`);
      assert.deepEqual(printed.trim().split('\n'), [
        'blocked: steps_missing',
        'ran: get_forecast {"city":"Oslo"} (rescued)',
        'answer: Light rain, 12 °C.',
      ]);
    } finally {
      server.close();
    }
  });

  it('the parts on their own', async () => {
    const printed = await play('foreign-loop/parts.ts');
    assert.match(
      printed,
      /rescued: get_forecast {"city":"Oslo","days":3} \(hermes\) \| text: Let me look\./,
    );
    assert.match(printed, /issue: .*city/);
    assert.match(printed, /did you mean: get_forecast/);
  });

  it('ai-sdk-middleware', async () => {
    const printed = await play('ai-sdk-middleware/main.ts');
    assert.match(printed, /called: get_forecast {"city":"Oslo","days":2}/);
    assert.match(printed, /"attempts":2/);
    assert.match(printed, /answer: Take an umbrella\./);
  });
});
