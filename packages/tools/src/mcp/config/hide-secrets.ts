import { isStdio, type McpServerConfig } from './mcp-config.ts';
import { isReference, type ReadVariable, resolveReference } from './resolve-references.ts';

const hidden = '••••';
/** Shorter values would blank out half of every message. */
const shortestSecret = 4;

/** A config fit to be shown: values that may be secret are hidden, references stay readable. */
export function shownConfig(config: McpServerConfig): McpServerConfig {
  if (isStdio(config)) return { ...config, env: hideValues(config.env) };
  const { oauth } = config;
  return {
    ...config,
    url: shownUrl(config.url),
    headers: hideValues(config.headers),
    ...(oauth?.clientSecret !== undefined && {
      oauth: { ...oauth, clientSecret: hideValue(oauth.clientSecret) },
    }),
  };
}

function hideValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hideValue(value)]));
}

const hideValue = (value: string) => (isReference(value) ? value : hidden);

/** Some services put their key into the query. */
function shownUrl(url: string): string {
  const parsed = new URL(url);
  if (parsed.search === '') return url;
  parsed.search = '';
  return `${parsed.href}?${hidden}`;
}

/** Text with every secret value of a config blanked out: for errors and logs of its server. */
export type Hide = (text: string) => string;

/** References that cannot be read hide nothing: the value never got anywhere. */
export function createHide(config: McpServerConfig, readVariable: ReadVariable): Hide {
  const values = isStdio(config)
    ? Object.values(config.env)
    : [
        ...Object.values(config.headers),
        ...(config.oauth?.clientSecret === undefined ? [] : [config.oauth.clientSecret]),
        ...new URL(config.url).searchParams.values(),
      ];
  const secrets = values
    .flatMap((value) => partsOf(value, readVariable))
    .filter((secret) => secret.length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, hidden), text);
}

/** The whole value, and what follows a scheme word such as `Bearer`. */
function partsOf(value: string, readVariable: ReadVariable): string[] {
  try {
    const whole = resolveReference(value, readVariable);
    const [, afterScheme] = whole.split(' ');
    return afterScheme === undefined ? [whole] : [whole, afterScheme];
  } catch {
    return [];
  }
}
