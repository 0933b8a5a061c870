import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { printable } from '../../printable.ts';
import type { ProxyProfile } from '../../project/proxy-section.ts';
import { profileName } from '../../project/values.ts';
import type { Questions } from '../../questions.ts';
import type { Terminal } from '../../terminal.ts';
import type { KnownBackend } from './ask-backend.ts';
import { describeBackend } from './banner.ts';
import type { InitFlags, NamedProfile } from './init.ts';
import { foundBackend, freeName, pathIn, saidBackend, withFlags } from './suggest-profile.ts';

const mostModels = 20;

interface Setting {
  readonly questions: Questions;
  readonly servers: readonly KnownBackend[];
  /** Names that are not to be replaced. */
  readonly taken: readonly string[];
  readonly cwd: string;
  readonly file: string;
  readonly terminal: Terminal;
}

/** A profile from a person's answers. What flags say is not asked. */
export async function askProfile(flags: InitFlags, setting: Setting): Promise<NamedProfile> {
  const { questions, taken } = setting;
  const said = saidBackend(flags, setting);
  const backend = said ?? (await askBackendPlace(setting));
  const server = setting.servers.find(({ url }) => url === backend.url);
  const model = flags.model ?? (await askModel(server?.models ?? [], setting));
  const sessions =
    flags.sessions ??
    (await questions.yes('Remember steps and budgets from one request to the next?', false));
  const profile = withFlags(
    { ...backend, ...(model !== undefined && { model }) },
    {
      ...flags,
      sessions: sessions || undefined,
    },
  );
  const name =
    flags.profile ??
    (await questions.text('What shall the profile be called?', {
      usual: freeName(profile, taken),
      check: (answer) => checkName(answer, taken),
    }));
  return { name, profile };
}

async function askBackendPlace({
  questions,
  servers,
  terminal,
  cwd,
  file,
}: Setting): Promise<NonNullable<ProxyProfile['backend']>> {
  if (servers.length === 0) terminal.out('No model server answers at the usual addresses.');
  const chosen = await questions.choice('Which backend?', [
    ...servers.map((server) => describeBackend(server)),
    'a server at another address',
    'start llama-server with a GGUF file',
  ]);
  const server = foundBackend(servers[chosen]);
  if (server !== undefined) return server;
  if (chosen === servers.length) {
    const url = await questions.text('Its address?', {
      usual: 'http://127.0.0.1:8080',
      check: (answer) =>
        /^https?:\/\/./.test(answer) && URL.canParse(answer)
          ? undefined
          : 'Write it like http://127.0.0.1:8080.',
    });
    return { url };
  }
  const path = await questions.text('The file?', {
    check: (answer) => (existsSync(resolve(cwd, answer)) ? undefined : `There is no ${answer}.`),
  });
  return { kind: 'llamaserver', gguf: pathIn(file, resolve(cwd, path)) };
}

/** Asked only where there is a choice. */
async function askModel(
  models: readonly string[],
  { questions, terminal }: Setting,
): Promise<string | undefined> {
  if (models.length < 2) return undefined;
  const shown = models.slice(0, mostModels);
  if (shown.length < models.length) {
    terminal.out(`It has ${models.length} models; the first ${mostModels}:`);
  }
  const chosen = await questions.choice('Which model?', [
    'the one the client asks for',
    ...shown.map((model) => printable(model, 80)),
  ]);
  return chosen === 0 ? undefined : shown[chosen - 1];
}

function checkName(name: string, taken: readonly string[]): string | undefined {
  if (taken.includes(name))
    return `There is a profile "${name}". Take another name, or run with --force.`;
  return profileName.safeParse(name).success
    ? undefined
    : 'Use letters, digits, ".", "_" and "-", at most 64.';
}
