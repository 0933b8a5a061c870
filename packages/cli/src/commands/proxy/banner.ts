import { printable } from '../../printable.ts';
import type { Style, Terminal } from '../../terminal.ts';
import { readVersion } from '../../version.ts';
import type { KnownBackend } from './ask-backend.ts';
import type { OpenBackend } from './open-backend.ts';
import { serverKinds } from './server-kinds.ts';
import type { ProxySettings } from './settings.ts';

/** The first lines: what it guards, where it listens, what is behind it, how to use it. */
export function printBanner(
  terminal: Terminal,
  {
    settings,
    backend,
    url,
    verbose,
  }: {
    readonly settings: ProxySettings;
    readonly backend: OpenBackend;
    readonly url: string;
    readonly verbose: boolean;
  },
): void {
  const row = (label: string, text: string, style?: Style) => {
    const shown = style === undefined ? text : terminal.style(style, text);
    terminal.out(`  ${terminal.style('dim', label.padEnd(9))} ${shown}`);
  };
  terminal.out(`${terminal.style('bold', 'forge proxy')} ${readVersion()}`);
  row('listens', url, ['bold', 'green']);
  row('backend', describeBackend(backend.known, backend.model));
  row('guards', describeGuards(settings));
  if (settings.profile) row('profile', `${settings.profile.name} (${settings.profile.file})`);
  row('live page', `${reachableUrl(url)}/forge/`);
  terminal.out();
  const { openai, anthropic } = clientLines(reachableUrl(url), settings, backend);
  row('OpenAI', openai, 'cyan');
  row('Anthropic', anthropic, 'cyan');
  terminal.out();
  const what = verbose ? 'Every request shows here' : 'Requests that needed help show here';
  terminal.out(terminal.style('dim', `${what}. Ctrl-C stops it.`));
}

/** `llama-server at http://127.0.0.1:8080, qwen3-8b, 16,384 tokens of context`. */
export function describeBackend(
  { kind, url, models, contextLength }: KnownBackend,
  pinned?: string,
): string {
  const model = pinned ?? (models.length === 1 ? models[0] : undefined);
  const has = model ?? (models.length > 1 ? `${models.length} models` : undefined);
  return [
    `${serverKinds[kind].label} at ${publicUrl(url)}`,
    ...(has === undefined ? [] : [printable(has, 80)]),
    ...(contextLength === undefined ? [] : [`${thousands(contextLength)} tokens of context`]),
  ].join(', ');
}

/** What a client is told, to be copied as it is. A client's own key matters only if it is passed on. */
function clientLines(url: string, settings: ProxySettings, { known, wire }: OpenBackend) {
  const isLocal = /^https?:\/\/(127\.|localhost|\[::1\])/.test(known.url);
  const passesKey = settings.backendApiKey === undefined && !isLocal;
  const key = settings.apiKey !== undefined || passesKey ? 'YOUR_KEY' : 'none';
  const hint = passesKey && settings.apiKey === undefined ? ` (a key for ${serviceOf(wire)})` : '';
  return {
    openai: `OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=${key}${hint}`,
    anthropic: `ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=${key}${hint}`,
  };
}

/** What means every address of this machine cannot be called everywhere. */
function reachableUrl(url: string): string {
  return url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])/, 'http://127.0.0.1');
}

function serviceOf(wire: OpenBackend['wire']): string {
  return wire === 'anthropic-messages' ? 'Anthropic' : wire === 'gemini' ? 'Gemini' : 'the backend';
}

function describeGuards({ guard, sessions, learn, serialize, workers }: ProxySettings): string {
  const { maxRetries = 3, switches = {}, constrain = 'on-retry' } = guard;
  const off = Object.entries(switches).flatMap(([name, on]) => (on ? [] : [name]));
  return [
    off.length === 0 ? 'every tool call' : `tool calls, without ${off.join(', ')}`,
    `${maxRetries} ${maxRetries === 1 ? 'retry' : 'retries'}`,
    ...(constrain === 'on-retry' ? [] : [`constrain ${constrain}`]),
    ...(sessions ? ['sessions'] : []),
    ...(learn === undefined ? [] : ['learning']),
    ...(serialize === true ? ['one at a time'] : []),
    ...(typeof serialize === 'number' ? [`${serialize} at a time`] : []),
    ...(workers > 1 ? [`${workers} workers`] : []),
  ].join(', ');
}

/** An address without the password it may hold. */
export function publicUrl(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@]*@/, '$1');
}

export function thousands(number: number): string {
  return number.toLocaleString('en-US');
}
