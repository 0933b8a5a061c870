import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ForgeError, type JsonObject } from '@forge/core';
import { loadProfiles, type Profile, type Profiles } from '@forge/pipeline';
import { namedModel } from '../runs/agent-settings.ts';
import { valueAt } from '../settings/layer.ts';
import type { Settings } from '../settings/settings-schema.ts';

export interface ProfilePlace {
  readonly settings: Pick<Settings, 'profile' | 'profiles_dir'>;
  readonly root: string;
}

/** Those that come with Forge, those of the project, and those of a folder that was named. */
export async function projectProfiles({
  settings: { profiles_dir: named },
  root,
}: ProfilePlace): Promise<Profiles> {
  if (named !== undefined && (await stat(named).catch(() => undefined))?.isDirectory() !== true) {
    throw new ForgeError(
      'not_found',
      `There is no folder ${named} with profiles. Set profiles_dir (--profiles-dir) to one that is there.`,
    );
  }
  return loadProfiles([join(root, '.forge', 'profiles'), ...(named === undefined ? [] : [named])]);
}

/** What the coding agent is sent off with. What the command line says counts more than a profile. */
export async function projectProfile(
  place: ProfilePlace,
  flags: JsonObject,
): Promise<Profile | undefined> {
  const { profile: id, profiles_dir: named } = place.settings;
  if (id === undefined && named === undefined) return undefined;
  const profiles = await projectProfiles(place);
  if (id === undefined) return undefined;
  const { maxIterations, ...profile } = profiles.get(id);
  const said = valueAt(flags, ['agents', 'agent', 'max_iterations']);
  return {
    ...profile,
    ...(said === undefined && maxIterations !== undefined && { maxIterations }),
  };
}

/** The model a profile wants, by its whole name. */
export function modelOfProfile(profile: Profile | undefined): string | undefined {
  return profile === undefined ? undefined : namedModel(profile);
}
