import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { CommandContext } from '../../context.ts';
import { definedFields } from '../../defined-fields.ts';
import { findProjectFile, newProjectFile } from '../../project/find-project-file.ts';
import type { BackendName, WireName } from '../../project/proxy-names.ts';
import type { ProxyProfile, ProxySection } from '../../project/proxy-section.ts';
import { readProjectFile } from '../../project/read-project-file.ts';
import { setInProjectFile } from '../../project/set-in-project-file.ts';
import { createQuestions } from '../../questions.ts';
import { UsageError } from '../../usage-error.ts';
import { askProfile } from './ask-profile.ts';
import { findServers } from './find-servers.ts';
import { suggestProfile } from './suggest-profile.ts';

export interface InitFlags {
  readonly profile?: string;
  readonly config?: string;
  readonly force?: boolean;
  readonly nonInteractive?: boolean;
  readonly backendUrl?: string;
  readonly backend?: BackendName;
  readonly backendWire?: WireName;
  readonly model?: string;
  readonly gguf?: string;
  readonly backendApiKeyEnv?: string;
  readonly apiKeyEnv?: string;
  readonly port?: number;
  readonly sessions?: boolean;
}

/** A profile and what it is to be called. */
export interface NamedProfile {
  readonly name: string;
  readonly profile: ProxyProfile;
}

/** Writes a profile, of what was asked or of flags alone, and says how to run it. */
export async function init(flags: InitFlags, context: CommandContext): Promise<void> {
  const { cwd, signal, config } = context;
  const terminal = context.terminal();
  const file = fileFor(flags, cwd);
  const section: ProxySection = existsSync(file) ? (readProjectFile(file).config.proxy ?? {}) : {};
  const taken = flags.force ? [] : Object.keys(section.profiles ?? {});
  if (flags.profile !== undefined && taken.includes(flags.profile)) {
    throw new UsageError(
      `There is a profile "${flags.profile}" in ${file}. Take another name, or --force to replace it.`,
    );
  }
  const find = () => findServers({ addresses: config.backendAddresses, signal });
  const isNamed = [flags.backendUrl, flags.backend, flags.gguf].some((flag) => flag !== undefined);
  if (!isNamed) terminal.err('Looking for model servers on this machine…');
  const servers = isNamed ? [] : await find();
  const { name, profile } = flags.nonInteractive
    ? suggestProfile(flags, { servers, taken, cwd, file })
    : await interactively(context, (questions) =>
        askProfile(flags, { questions, servers, taken, cwd, file, terminal }),
      );
  const isDefault = section.default === undefined || section.default === name;
  setInProjectFile(file, [
    ...(section.default === undefined ? [{ path: ['proxy', 'default'], value: name }] : []),
    { path: ['proxy', 'profiles', name], value: definedFields(profile) },
  ]);
  terminal.out(`The profile ${terminal.style('bold', name)} is in ${file}`);
  const where = flags.config === undefined ? '' : ` --config ${relative(cwd, file) || file}`;
  const which = isDefault ? '' : ` --profile ${name}`;
  terminal.out(`Try it:  ${terminal.style('cyan', `forge proxy check${where}${which}`)}`);
  terminal.out(`Run it:  ${terminal.style('cyan', `forge proxy${where}${which}`)}`);
}

function fileFor({ config }: InitFlags, cwd: string): string {
  if (config !== undefined) return resolve(cwd, config);
  return findProjectFile(cwd) ?? newProjectFile(cwd);
}

async function interactively<T>(
  context: CommandContext,
  ask: (questions: ReturnType<typeof createQuestions>) => Promise<T>,
): Promise<T> {
  const { stdin, signal } = context;
  const questions = createQuestions({ terminal: context.terminal(), stdin, signal });
  try {
    return await ask(questions);
  } finally {
    questions.close();
  }
}
