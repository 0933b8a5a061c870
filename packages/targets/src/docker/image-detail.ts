import type Docker from 'dockerode';
import * as z from 'zod';
import { deployFailed } from '../deploy-failed.ts';
import { safeName } from '../files/safe-name.ts';
import type { Built } from '../target.ts';
import { orMissing } from './docker-client.ts';

/** What a release is, in the history: plain data without secrets. */
const imageDetailSchema = z.object({
  release: z.string(),
  /** The digest of the image as the daemon knows it. */
  image: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  repository: z.string(),
  /** By which the registry knows it. */
  pushed: z.string().optional(),
});
export type ImageDetail = z.infer<typeof imageDetailSchema>;

/** Of a release in the history. `deploy_failed` if that was damaged. */
export function readDetail({ detail }: Built, id: string): ImageDetail {
  const read = imageDetailSchema.safeParse(detail);
  if (read.success) return { ...read.data, release: safeName(id) };
  throw deployFailed(`What the history says of ${id} names no image. Deploy its commit again.`);
}

export function toBuilt({ release, image, repository, pushed }: ImageDetail): Built {
  return {
    digest: pushed ?? image,
    detail: { release, image, repository, ...(pushed !== undefined && { pushed }) },
  };
}

export async function hasImage(docker: Docker, image: string): Promise<boolean> {
  return (await docker.getImage(image).inspect().catch(orMissing)) !== undefined;
}
