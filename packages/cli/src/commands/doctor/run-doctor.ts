import { ForgeError } from '@forge/core';
import type { CommandContext } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printable } from '../../printable.ts';
import { type ReadSettings, readSettings } from '../../settings/read-settings.ts';
import { type Settings, settingsSchema } from '../../settings/settings-schema.ts';
import type { Terminal } from '../../terminal.ts';
import type { DoctorFlags } from '../doctor.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { lookAtDisk } from './look-at-disk.ts';
import { lookAtModels } from './look-at-models.ts';
import { lookAtPrograms } from './look-at-programs.ts';
import { probeSandboxes, sandboxFindings } from './look-at-sandbox.ts';
import { lookAtQueue, lookAtStore } from './look-at-store.ts';
import { lookAtTarget } from './look-at-target.ts';

/** Looks at everything, prints what it found, and says by the exit code whether work can begin. */
export async function runDoctor(flags: DoctorFlags, context: CommandContext): Promise<void> {
  const { json = false } = flags;
  const terminal = context.terminal();
  const { findings, read } = lookAtSettings(flags, context);
  const settings = read?.settings ?? settingsSchema.parse({});
  const all = flags['12Factor']
    ? [...findings.filter(({ status }) => status === 'fail'), ...(await factors(read, context))]
    : [...findings, ...(await lookAtAll(settings, context))];
  if (all.some(({ status }) => status === 'fail')) context.endWith(exitCodes.failed);
  if (json) terminal.out(JSON.stringify({ ok: !all.some(isFailed), findings: all }));
  else print(terminal, all);
}

const isFailed = ({ status }: Finding) => status === 'fail';

function lookAtSettings(
  { config: file }: DoctorFlags,
  { cwd, config }: CommandContext,
): { readonly findings: readonly Finding[]; readonly read?: ReadSettings } {
  try {
    const read = readSettings({ cwd, config, ...(file !== undefined && { file }) });
    const { files, notices } = read;
    const none = warn('settings', 'there is no forge.yaml', 'Write one: forge init');
    const there = files.length === 0 ? none : ok('settings', files.join(', '));
    return { findings: [there, ...notices.map((notice) => warn('settings', notice))], read };
  } catch (error) {
    if (!ForgeError.is(error, 'invalid_options')) throw error;
    return { findings: error.message.split('\n').map((fault) => fail('settings', fault)) };
  }
}

async function lookAtAll(
  settings: Settings,
  { cwd, config, signal }: CommandContext,
): Promise<readonly Finding[]> {
  const [programs, probes, store, queue, models] = await Promise.all([
    lookAtPrograms(signal),
    probeSandboxes(signal),
    lookAtStore(settings.store ?? config.store),
    lookAtQueue(settings.queue, signal),
    lookAtModels(settings, { config, signal }),
  ]);
  return [
    ...programs,
    ...sandboxFindings(probes, settings.sandbox),
    store,
    ...queue,
    ...models,
    ...(await lookAtTarget(settings, { cwd, config, probes })),
    ...lookAtDisk(config.stateFolder),
  ];
}

async function factors(
  read: ReadSettings | undefined,
  context: CommandContext,
): Promise<readonly Finding[]> {
  if (read === undefined) return [];
  const { twelveFactors } = await import('./twelve-factors.ts');
  return twelveFactors(read, context);
}

const marks = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const;

function print(terminal: Terminal, findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ name }) => name.length));
  for (const { name, status, message, fix } of findings) {
    const [color, mark] = marks[status];
    const [first = '', ...more] = message.split('\n');
    terminal.out(`${terminal.style(color, mark)} ${name.padEnd(width)}  ${printable(first, 500)}`);
    const indent = ' '.repeat(width + 4);
    for (const line of more) terminal.out(indent + printable(line, 500));
    if (fix !== undefined && fix !== '') {
      terminal.out(indent + terminal.style('dim', printable(fix, 1_000)));
    }
  }
  const failed = findings.filter(isFailed).length;
  const noted = findings.filter(({ status }) => status === 'warn').length;
  const notes = noted === 0 ? '' : ` ${noted} to look at (!).`;
  terminal.out();
  terminal.out((failed === 0 ? 'Nothing is broken.' : `${failed} to be mended.`) + notes);
}
