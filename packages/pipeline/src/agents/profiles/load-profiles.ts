import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ForgeError, messageOf } from '@forge/core';
import { parse } from 'yaml';
import { builtinProfiles, type Profile, readProfile } from './profile.ts';

const mostBytes = 256 * 1024;
const mostFiles = 500;

/** The profiles there are, sorted by id. */
export interface Profiles {
  readonly all: readonly Profile[];
  /** An unknown id is an error that lists the known ones. */
  get(id: string): Profile;
}

/**
 * Profiles from the built-in ones and from folders of `.yaml` and `.yml` files, of extensions
 * first, the user's own last: the last of an id counts. A folder that is not there is no error.
 *
 * @example
 * const profiles = await loadProfiles(['.forge/profiles']);
 * profiles.get('thorough').maxIterations; // 50
 */
export async function loadProfiles(folders: readonly string[]): Promise<Profiles> {
  const byId = new Map(builtinProfiles.map((profile) => [profile.id, profile]));
  for (const folder of folders) {
    for (const profile of await readFolder(folder)) byId.set(profile.id, profile);
  }
  const all = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    all,
    get(id) {
      const profile = byId.get(id);
      if (profile !== undefined) return profile;
      const known = all.map((each) => each.id).join(', ');
      throw new ForgeError('not_found', `There is no profile "${id}". Profiles: ${known}.`);
    },
  };
}

async function readFolder(folder: string): Promise<readonly Profile[]> {
  const names = (await namesIn(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
  if (names.length > mostFiles) {
    throw new ForgeError('too_large', `${folder} has more than ${mostFiles} profiles.`);
  }
  const profiles: Profile[] = [];
  for (const name of names) profiles.push(await readFileOf(join(folder, name)));
  return profiles;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function readFileOf(path: string): Promise<Profile> {
  const about = await stat(path);
  if (!about.isFile()) throw new ForgeError('not_a_file', `${path} is not a file. Remove it.`);
  if (about.size > mostBytes) {
    throw new ForgeError('too_large', `${path} is too long for a profile: over 256 KB.`);
  }
  return readProfile(parsed(await readFile(path, 'utf8'), path), path);
}

function parsed(content: string, path: string): unknown {
  try {
    // Aliases that name each other could make a few lines into gigabytes.
    return parse(content, { maxAliasCount: 50 });
  } catch (error) {
    throw new ForgeError('invalid_options', `${path} is not YAML: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
