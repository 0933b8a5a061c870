import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';

/** Of the messages in which BuildKit tells its steps. */
export const traceId = 'moby.buildkit.trace';

/** In dockerode, and not in its types. */
interface Follower {
  followProgress(
    stream: NodeJS.ReadableStream,
    done: () => void,
    event: (event: { readonly stream?: string }) => void,
  ): void;
}

/** Reads BuildKit's own messages, which are protobuf in base64, by way of dockerode. */
export class BuildkitTrace {
  readonly #lines = new PassThrough();
  readonly #done: Promise<unknown>;

  constructor(docker: Docker, say: (text: string) => void) {
    if (!canFollow(docker)) {
      this.#lines.resume();
      this.#done = once(this.#lines, 'end');
      return;
    }
    this.#done = new Promise<void>((resolve) => {
      docker.followProgress(this.#lines, resolve, ({ stream }) => say(stream ?? ''));
    });
  }

  write(line: string): void {
    this.#lines.write(`${line}\n`);
  }

  /** Everything that was written has been said after it. */
  async end(): Promise<void> {
    this.#lines.end();
    await this.#done;
  }
}

function canFollow(docker: unknown): docker is Follower {
  return (
    typeof docker === 'object' &&
    docker !== null &&
    typeof Reflect.get(docker, 'followProgress') === 'function'
  );
}
