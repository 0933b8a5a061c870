import { ForgeError } from '@forge/core';
import type Docker from 'dockerode';
import { isMissing } from './build-image.ts';
import { explainDocker } from './docker-messages.ts';
import { checkImageName } from './image-name.ts';

/** Says whose an image is that was built for a caller. The operator's own have no such label. */
export const ownerLabel = 'forge.image.owner';

/**
 * The id of an image that `owner` may run and build upon: one of theirs, or one of the operator's.
 * `not_found` for all others, in the same words: who asks learns nothing of what others have.
 */
export async function findUsable(docker: Docker, image: string, owner: string): Promise<string> {
  try {
    const { Id, Config, RepoTags } = await docker.getImage(checkImageName(image)).inspect();
    const whose = Config?.Labels?.[ownerLabel];
    // The steps of a build leave images without label or name, which can be named by their ids.
    const isOperators = whose === undefined && (RepoTags ?? []).length > 0;
    if (whose === owner || isOperators) return Id;
  } catch (error) {
    if (!isMissing(error)) throw explainDocker(error);
  }
  throw new ForgeError(
    'not_found',
    `There is no image ${image} here that is yours or open to all, and none is pulled. Build it first.`,
  );
}
