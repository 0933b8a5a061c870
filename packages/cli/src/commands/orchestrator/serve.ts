import { once } from 'node:events';
import { createImageService, type Network } from '@forge/sandbox';
import {
  type Log,
  type LogLevel,
  logLevels,
  type OrchestratorOptions,
  type OrchestratorPolicy,
  startOrchestrator,
} from '@forge/sandbox/orchestrator';
import type { CommandContext } from '../../context.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import type { OrchestratorFlags } from '../orchestrator.ts';
import { openBackend, readPem, readToken } from '../sandbox/backends.ts';

/** Runs the orchestrator until it is told to stop, then lets calls finish and removes containers. */
export async function serve(flags: OrchestratorFlags, context: CommandContext): Promise<void> {
  const { signal, config } = context;
  const terminal = context.terminal();
  const { json = false, listen, open = false } = flags;
  const told = flags.logLevel ?? config.variable('FORGE_LOG_LEVEL');
  const log = logTo(terminal, { json, level: readLevel(told) });
  const tls = tlsOf(flags);
  const token = flags.tokenFile === undefined ? undefined : tokensIn(readToken(flags.tokenFile));
  const backend = await openBackend({ backend: flags.backend }, context);
  try {
    for (const line of await backend.reap()) log('info', `removed ${line}`);
    const orchestrator = await startOrchestrator({
      ...{ backend, listen, open, log, policy: policyOf(flags) },
      ...(tls && { tls }),
      ...(token !== undefined && { token }),
      ...(backend.name === 'docker' && { images: createImageService() }),
    });
    try {
      context.endsWellWhenStopped();
      const { address } = orchestrator;
      terminal.out(
        json
          ? JSON.stringify({ event: 'listening', address, backend: backend.name, tls: !!tls })
          : `${terminal.style('bold', 'orchestrator')} on ${address}, ${backend.name} containers`,
      );
      if (token === undefined) log('warn', 'there is no token: every program here may call it');
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await orchestrator.close();
    }
  } finally {
    await backend.close();
  }
}

function policyOf(flags: OrchestratorFlags): Partial<OrchestratorPolicy> {
  const { containers, containersPerClient, idle, network, registry, buildNetwork } = flags;
  const networks = network?.filter((name): name is Network['type'] =>
    /^(?:none|allow|full)$/.test(name),
  );
  return {
    ...(containers !== undefined && { containers }),
    ...(containersPerClient !== undefined && { containersPerClient }),
    ...(idle !== undefined && { idleMs: idle * 1_000 }),
    ...(networks && { networks }),
    ...(registry && { registries: registry }),
    ...(buildNetwork !== undefined && { buildNetwork }),
  };
}

function tlsOf({ tlsCert, tlsKey, tlsClientCa }: OrchestratorFlags): OrchestratorOptions['tls'] {
  if ((tlsCert ?? tlsKey ?? tlsClientCa) === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('--tls-cert and --tls-key belong together, and --tls-client-ca to both.');
  }
  return {
    cert: readPem(tlsCert),
    key: readPem(tlsKey),
    ...(tlsClientCa !== undefined && { clientCa: readPem(tlsClientCa) }),
  };
}

/** One token, or lines of NAME=TOKEN. */
function tokensIn(text: string): string | Record<string, string> {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const named = lines.map((line) => /^([\w.-]+)=(\S+)$/.exec(line));
  if (lines.length === 1 && !named[0]) return text;
  return Object.fromEntries(
    named.map((found, index) => {
      if (found?.[1] === undefined || found[2] === undefined) {
        throw new UsageError(`Line ${index + 1} of the token file is not NAME=TOKEN.`);
      }
      return [found[1], found[2]];
    }),
  );
}

function readLevel(text = 'info'): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level !== undefined) return level;
  throw new UsageError(`There is no log level "${text}". There are: ${logLevels.join(', ')}.`);
}

function logTo(terminal: Terminal, { json, level }: { json: boolean; level: LogLevel }): Log {
  return (of, message, facts = {}) => {
    if (logLevels.indexOf(of) < logLevels.indexOf(level)) return;
    if (json) {
      terminal.err(JSON.stringify({ level: of, message, ...facts }));
      return;
    }
    const about = Object.entries(facts).map(([key, value]) => `${key}=${value}`);
    terminal.err([`${of}:`, message, ...about].join(' '));
  };
}
