import { ForgeError } from '@forge/core';

export interface Origin {
  readonly host: string;
  /** `owner/name` */
  readonly repo: string;
}

/** The repository that a remote's address names: over https, or ssh in either spelling. */
export function readOrigin(remote: string): Origin {
  const [, host = '', path = ''] =
    /^https?:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(remote) ??
    /^ssh:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(remote) ??
    /^(?:[^@/]+@)?([^/:]+):(?!\/)(.+)$/.exec(remote) ??
    [];
  return {
    host: host.toLowerCase(),
    repo: checkRepo(path.replace(/\/$/, '').replace(/\.git$/, '')),
  };
}

export function checkRepo(repo: string): string {
  if (/^[\w.-]+\/[\w.-]+$/.test(repo) && !repo.split('/').some((part) => /^\.+$/.test(part)))
    return repo;
  throw new ForgeError(
    'tool_failed',
    `${JSON.stringify(repo.slice(0, 100))} is not a repository. Give repo as "owner/name".`,
  );
}

/** The host whose repositories an API serves: `api.github.com` for `github.com`. */
export function hostOfApi(apiUrl: string): string {
  const { hostname } = new URL(apiUrl);
  return hostname === 'api.github.com' ? 'github.com' : hostname.replace(/^api\./, '');
}
