import type Docker from 'dockerode';

/**
 * Removes the images of this project's releases but for those that are kept. One that runs stays, and
 * so does one with another name: whoever builds on top of a release inherits its labels.
 */
export async function pruneImages(
  docker: Docker,
  {
    owner,
    name,
    kept,
  }: {
    /** The last part of those of its images, before the release. */
    readonly name: string;
    /** A label with its value. */
    readonly owner: string;
    /** Images by releases. */
    readonly kept: ReadonlyMap<string, string>;
  },
): Promise<void> {
  const images = await docker.listImages({ filters: { label: [owner] } }).catch(() => []);
  for (const { Id, Labels, RepoTags } of images) {
    const release = Labels?.['forge.release'];
    if (release === undefined || kept.get(release) === Id) continue;
    const isOwn = (tag: string) => tag.endsWith(`/${name}:${release}`) || tag === '<none>:<none>';
    if (!(RepoTags ?? []).every(isOwn)) continue;
    await docker
      .getImage(Id)
      .remove({ force: true })
      .catch(() => {});
  }
}
