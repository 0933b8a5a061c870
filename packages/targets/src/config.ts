import { homedir } from 'node:os';
import { join } from 'node:path';

/** What a release and its build may know of the environment of whoever deploys: no key is among it. */
const inherited = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
];

/** The part of this environment that is passed on. */
export function inheritedEnvironment(): Record<string, string> {
  const found = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(found) };
}

/** Where Docker's own command line keeps logins. */
export function dockerConfigFolder(): string {
  return process.env.DOCKER_CONFIG || join(homedir(), '.docker');
}
