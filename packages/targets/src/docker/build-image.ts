import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type Docker from 'dockerode';
import { deployFailed } from '../deploy-failed.ts';
import { buildContext } from './build-context.ts';
import { followMessages } from './build-messages.ts';
import { atDaemon } from './docker-client.ts';
import type { DockerConfig } from './docker-config.ts';

export interface ImageBuild {
  readonly docker: Docker;
  /** The tree of the project. */
  readonly path: string;
  readonly config: DockerConfig;
  readonly tag: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Of 512 bytes, in one record of an archive, whose end is filled up with zeros. BuildKit behind the
 * daemon's API now and then finds a context of less than 256 KB empty; none of more. The builder of
 * old reads no zeros after the end, and a daemon that has not read all of a request does not notice
 * that its client is gone: a build that was given up would go on.
 */
const blocks = { classic: '1', buildkit: '1024' };

/** Builds an image and gives its id, a digest of all that is in it. The daemon heeds `.dockerignore`. */
export async function buildImage(build: ImageBuild): Promise<string> {
  const { docker, config, tag, tell, signal } = build;
  const { folder, dockerfile } = buildContext(build.path, config);
  const ms = config.build_timeout_s * 1000;
  return await atDaemon({ what: 'build the image', signal, ms }, async (limit) => {
    const isModern = needsBuildKit(dockerfile, config);
    const size = blocks[isModern ? 'buildkit' : 'classic'];
    const tar = spawn('tar', ['-C', folder, '--exclude=./.git', '-b', size, '-cf', '-', '.'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      // Ctrl-C is for us to hear: what is under way is stopped in order.
      detached: true,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    });
    const packed = new Promise<number | null>((resolve) => {
      tar.once('error', () => resolve(null));
      tar.once('exit', resolve);
    });
    try {
      const stream = await docker.buildImage(tar.stdout, {
        ...{ t: tag, dockerfile: config.dockerfile, buildargs: { ...config.build_args } },
        ...{ labels: { ...build.labels }, rm: true, forcerm: true, abortSignal: limit },
        ...(isModern && { version: '2' as const }),
      });
      const { imageId } = await followMessages(stream, {
        docker,
        what: 'The build',
        tell,
        signal: limit,
      });
      if ((await packed) !== 0) throw deployFailed(`The files of ${folder} could not be packed.`);
      const { Id } = await docker.getImage(imageId ?? tag).inspect();
      return Id;
    } finally {
      tar.kill('SIGKILL');
    }
  });
}

/** What the builder of old does not know. */
const modern =
  /^\s*#\s*syntax\s*=|^\s*RUN\s+--(?:mount|network|security)=|^\s*(?:COPY|ADD)\s+--(?:link|chmod|parents|exclude)|^\s*(?:RUN|COPY)\b.*<<-?["']?[A-Za-z_]/im;

function needsBuildKit(dockerfile: string, { builder }: DockerConfig): boolean {
  if (builder !== 'auto') return builder === 'buildkit';
  return modern.test(readFileSync(dockerfile, 'utf8'));
}
