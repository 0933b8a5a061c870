import type { CheckReport } from './check-report.ts';
import type { ProxySettings } from './settings.ts';

/** Coding agents send this much before the first question. */
const smallWindow = 8_192;

/** What to do about what was seen, the most important first. */
export function advise(
  report: Omit<CheckReport, 'advice' | 'ok'>,
  { tools = 'native', guard }: Pick<ProxySettings, 'tools' | 'guard'>,
): readonly string[] {
  return [
    ...callAdvice(report, tools, guard.constrain ?? 'on-retry'),
    ...(report.streaming || report.direct.saw === 'error'
      ? []
      : ['The backend does not stream: clients that stream get each reply in one piece.']),
    ...windowAdvice(report.backend),
  ];
}

function callAdvice(
  { direct, proxy, backend }: Omit<CheckReport, 'advice' | 'ok'>,
  tools: 'native' | 'prompt',
  constrain: 'off' | 'on-retry' | 'always',
): readonly string[] {
  if (proxy.trial.saw !== 'native') return noCallAdvice(direct, tools, constrain, backend.kind);
  const rung = proxy.attempts.at(-1)?.rung;
  if (direct.saw === 'error' && tools === 'native') {
    return [
      'The backend fails when it is given tools: --backend-capability prompt spares the try.',
    ];
  }
  if (proxy.outcome === 'retried' && rung === 'constrained') {
    return [
      'The model gets calls right when it is held to a schema: --constrain always spares the retries, --learn finds that out by itself.',
    ];
  }
  if (proxy.toolChoice === 'required') {
    return [
      'The model answers in words unless it has to call: have the client send tool_choice "required", or try a larger model.',
    ];
  }
  switch (direct.saw) {
    case 'native':
      return direct.mended.length === 0
        ? ['Nothing to fix here: the model calls tools by itself, and the proxy checks each call.']
        : ['Calls are nearly right: the proxy repairs them. Keep the defaults.'];
    case 'text':
      return [
        `The model writes calls as text (${direct.format}), which clients cannot see: the proxy rescues them. Keep the defaults.`,
      ];
    default:
      return [
        'The proxy gets calls out of this model. Keep the defaults; --learn makes it quicker.',
      ];
  }
}

function noCallAdvice(
  direct: CheckReport['direct'],
  tools: 'native' | 'prompt',
  constrain: 'off' | 'on-retry' | 'always',
  kind: CheckReport['backend']['kind'],
): readonly string[] {
  if (direct.saw === 'error' && (direct.kind === 'auth' || direct.kind === 'not_found')) {
    return direct.kind === 'auth'
      ? ['The backend wants a key: set FORGE_BACKEND_API_KEY.']
      : ['The backend does not know this model: choose one of its list with --model.'];
  }
  return [
    ...(tools === 'native' ? ['Try --backend-capability prompt: tools described in words.'] : []),
    ...(constrain === 'off'
      ? ['Try --constrain on-retry: replies held to the shape of a call.']
      : []),
    ...(kind === 'llamaserver' ? ['llama-server needs --jinja for native calls.'] : []),
    'Try a larger model, or one made for tool calls.',
  ];
}

function windowAdvice({ contextLength, kind }: CheckReport['backend']): readonly string[] {
  if (contextLength === undefined || contextLength >= smallWindow) return [];
  const how =
    kind === 'ollama'
      ? 'set OLLAMA_CONTEXT_LENGTH=16384 for the server'
      : kind === 'llamaserver' || kind === 'llamafile'
        ? 'start the server with -c 16384'
        : 'start the server with a larger one';
  return [`A window of ${contextLength} tokens is small for coding agents: ${how}.`];
}
