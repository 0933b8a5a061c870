import type { Agent, Tool } from '@forge/core';

/**
 * What a plugin adds. It is a package whose package.json has a `forge` field that names the module
 * (`"forge": { "plugin": "./src/index.ts" }`), and the module exports this as `plugin`.
 */
export interface Plugin {
  readonly tools?: readonly Tool[];
  readonly agents?: readonly Agent[];
  /** Texts by name, such as `coder`; they stand in for those that come with Forge. */
  readonly prompts?: Readonly<Record<string, string>>;
  /** Deploy targets by name; what one must be able to do is said where targets are. */
  readonly targets?: Readonly<Record<string, unknown>>;
}

/** Gives a plugin its type. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}

export interface LoadedPlugin extends Required<Plugin> {
  /** Of its package. */
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** Why a plugin, or a part of one, is not there. */
export interface PluginProblem {
  readonly name: string;
  readonly folder: string;
  readonly problem: string;
}

export interface Plugins {
  readonly loaded: readonly LoadedPlugin[];
  readonly problems: readonly PluginProblem[];
}
