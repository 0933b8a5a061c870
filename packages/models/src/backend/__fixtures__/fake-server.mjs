#!/usr/bin/env node
// Stands in for a model server: same flags, same questions answered, and it dies on demand.
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';

const args = process.argv.slice(2);
const valueOf = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const [host, port] = process.env.OLLAMA_HOST?.split(':') ?? [valueOf('--host'), valueOf('--port')];
console.log(`flags: ${args.join(' ')}`);

if (args.includes('--fail')) {
  console.error('error: the model has no layers');
  process.exit(3);
}
// While that file is there, it fails; the file counts down by being removed.
const obstacle = valueOf('--fail-while');
if (obstacle !== undefined && existsSync(obstacle)) {
  rmSync(obstacle);
  console.error('error: not yet');
  process.exit(4);
}
if (args.includes('--deaf')) process.on('SIGTERM', () => console.log('will not stop'));
if (args.includes('--child')) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  console.log(`child: ${child.pid}`);
}

let questions = 0;
const slow = Number(valueOf('--loading') ?? 0);
createServer((request, response) => {
  const answer = (status, body) => response.writeHead(status).end(JSON.stringify(body));
  switch (request.url) {
    case '/die':
      console.error('error: out of memory');
      response.destroy();
      process.exit(9);
      break;
    case '/props':
      questions += 1;
      if (questions <= slow) answer(503, { error: { message: 'Loading model' } });
      else answer(200, { default_generation_settings: { n_ctx: Number(valueOf('-c') ?? 4096) } });
      break;
    case '/v1/models':
      answer(200, { data: [{ id: 'm', max_model_len: Number(valueOf('--max-model-len') ?? 2048) }] });
      break;
    case '/api/version':
      answer(200, { version: '0.6.4', context: process.env.OLLAMA_CONTEXT_LENGTH });
      break;
    default:
      answer(404, {});
  }
}).listen(Number(port), host, () => console.log(`listening on ${host}:${port}`));
