import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Wire } from '@forge/models';
import { startScriptedServer } from '@forge/models/testing';
import { createProxy, type ProxyEvent } from '@forge/proxy';
import type { CodingClient } from './coding-client.ts';
import { forgetfulModel, type Spoken } from './forgetful-model.ts';
import type { Program } from './install-client.ts';
import type { MistakeName } from './mistakes.ts';
import { runProgram } from './run-program.ts';

/** How the client reaches the model: at once, or through a proxy that speaks a wire with it. */
export type Way = 'direct' | Wire['name'];

export const prompt = 'Read the file notes.txt and tell me the secret in it.';

export interface Played {
  /** The client printed the secret. */
  readonly isDone: boolean;
  /** What the model was asked for and said, in order. */
  readonly spoken: readonly Spoken[];
  /** What the proxy did, in order; empty for `direct`. */
  readonly events: readonly ProxyEvent[];
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Lets a client do one task, in a folder and with a home of its own. */
export async function playTask({
  client,
  program,
  mistake,
  way,
  secret,
  timeout = 90_000,
}: {
  readonly client: CodingClient;
  readonly program: Program;
  readonly mistake: MistakeName;
  readonly way: Way;
  /** As `secretPattern` has it. */
  readonly secret: string;
  readonly timeout?: number;
}): Promise<Played> {
  const stage = await realpath(await mkdtemp(join(tmpdir(), 'forge-clients-')));
  const home = join(stage, 'home');
  const folder = join(stage, 'project');
  const file = join(folder, 'notes.txt');
  await put(file, `The secret is ${secret}.\n`);
  await mkdir(home);
  const model = forgetfulModel({ client, mistake, file });
  const wire = way === 'direct' ? client.wire : way;
  const backend = await startScriptedServer({ wire, script: model.script });
  const events: ProxyEvent[] = [];
  const onEvent = (event: ProxyEvent) => void events.push(event);
  const proxy =
    way === 'direct'
      ? undefined
      : await createProxy({ backend: { url: backend.url, wire }, port: 0, onEvent });
  try {
    const url = proxy?.url ?? backend.url;
    const { args, env = {}, files = {} } = client.launch({ url, home, folder, prompt });
    for (const [path, text] of Object.entries(files)) await put(join(home, path), text);
    const { PATH = '' } = process.env;
    const ran = await runProgram(program, {
      args,
      cwd: folder,
      env: { PATH, HOME: home, ...env },
      timeout,
    });
    return { isDone: ran.stdout.includes(secret), spoken: model.spoken, events, ...ran };
  } finally {
    await proxy?.close();
    await backend.close();
    await rm(stage, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function put(path: string, text: string) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
