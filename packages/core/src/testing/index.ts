export { calls, type Line, ScriptedModel, says } from './scripted-model.ts';
