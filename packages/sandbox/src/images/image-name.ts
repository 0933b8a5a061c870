import { ForgeError } from '@forge/core';

const longest = 500;

/** Between slashes: a registry, a folder, a name with its version or digest; or an id. */
const part = /^[a-z0-9][\w.:@-]*$/i;

/**
 * Gives back the name or id of an image if it is one. Names become part of addresses at the daemon:
 * with `..`, `?` or nothing between two slashes they would ask for something else.
 */
export function checkImageName(image: string): string {
  if (image.length <= longest && image.split('/').every((each) => part.test(each))) return image;
  throw new ForgeError(
    'invalid_options',
    `${JSON.stringify(image.slice(0, 100))} is no name of an image. Such as: team/app:1`,
  );
}
