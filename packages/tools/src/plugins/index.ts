export { type FoundPlugin, findPlugins } from './find-plugins.ts';
export { loadPlugins } from './load-plugins.ts';
export { newPlugin } from './new-plugin.ts';
export {
  definePlugin,
  type LoadedPlugin,
  type Plugin,
  type PluginProblem,
  type Plugins,
} from './plugin.ts';
