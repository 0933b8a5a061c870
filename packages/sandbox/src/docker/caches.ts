import { ForgeError } from '@forge/core';
import { createContainer, type Engine } from './create-container.ts';
import { inTime } from './in-time.ts';
import { removeContainer } from './remove-container.ts';
import { commandUser } from './users.ts';

const prefix = 'forge-cache-';

/** Where a cache lies inside. */
export function cacheFolder(name: string): string {
  return `/cache/${name}`;
}

/** The variables by which tools find their caches, for those we know. */
const variables: Readonly<Record<string, (folder: string) => Readonly<Record<string, string>>>> = {
  npm: (folder) => ({ npm_config_cache: folder }),
  yarn: (folder) => ({ YARN_CACHE_FOLDER: folder, YARN_GLOBAL_FOLDER: `${folder}/global` }),
  pnpm: (folder) => ({ PNPM_HOME: folder, npm_config_store_dir: `${folder}/store` }),
  pip: (folder) => ({ PIP_CACHE_DIR: folder }),
  uv: (folder) => ({ UV_CACHE_DIR: folder }),
  cargo: (folder) => ({ CARGO_HOME: folder }),
  go: (folder) => ({ GOCACHE: `${folder}/build`, GOMODCACHE: `${folder}/modules` }),
  xdg: (folder) => ({ XDG_CACHE_HOME: folder }),
};

export function cacheVariables(names: readonly string[]): Record<string, string> {
  const known = names.filter((name) => Object.hasOwn(variables, name));
  return Object.assign({}, ...known.map((name) => variables[name]?.(cacheFolder(name))));
}

export function checkCacheNames(names: readonly string[]): void {
  for (const name of names) {
    if (!/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(name)) {
      throw new ForgeError(
        'invalid_options',
        `${JSON.stringify(name)} cannot be the name of a cache. It takes small letters, digits, ".", "-" and "_", such as "npm".`,
      );
    }
  }
}

/**
 * The volumes of caches, by their names. Docker makes those that are not there, for root: a container
 * that may do nothing but give them away does so first, once in the life of `given`.
 */
export async function ensureCaches(
  engine: Engine,
  names: readonly string[],
  {
    image,
    given,
    labels,
    signal,
  }: {
    readonly image: string;
    readonly given: Set<string>;
    /** By which the container is found again if we die before it is removed. */
    readonly labels: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Promise<ReadonlyMap<string, string>> {
  const volumes = new Map(names.map((name) => [name, `${prefix}${name}`]));
  for (const volume of volumes.values()) {
    if (given.has(volume)) continue;
    await giveAway(engine, { volume, image, labels, signal });
    given.add(volume);
  }
  return volumes;
}

async function giveAway(
  engine: Engine,
  {
    volume,
    image,
    labels,
    signal,
  }: {
    readonly volume: string;
    readonly image: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const container = await createContainer(
    engine,
    {
      Image: image,
      Entrypoint: [],
      Cmd: ['chown', `${commandUser}:${commandUser}`, '/cache'],
      User: '0:0',
      Labels: { ...labels },
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        CapAdd: ['CHOWN'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: 8,
        LogConfig: { Type: 'none', Config: {} },
        Mounts: [{ Type: 'volume', Source: volume, Target: '/cache' }],
      },
    },
    signal,
  );
  try {
    const limit = { ms: engine.createMs, what: 'prepare a cache', signal };
    const ended = await inTime(limit, async (abortSignal) => {
      await container.start({ abortSignal });
      return container.wait({ abortSignal });
    });
    if (ended.StatusCode !== 0) {
      throw new ForgeError(
        'sandbox_failed',
        `The cache ${volume} could not be prepared with ${image}: it needs chown.`,
      );
    }
  } finally {
    await engine.leftovers.add(removeContainer(container, engine.removeMs));
  }
}
