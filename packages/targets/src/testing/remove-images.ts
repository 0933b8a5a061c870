import type Docker from 'dockerode';

/** Takes images of tests away again, by a pattern of their names: the daemon of tests outlives them. */
export async function removeImages(docker: Docker, pattern: string): Promise<void> {
  for (const { Id } of await docker.listImages({ filters: { reference: [pattern] } })) {
    await docker
      .getImage(Id)
      .remove({ force: true })
      .catch(() => {});
  }
}
