export { createScriptedModel } from './create-scripted-model.ts';
export type { Scene, Script, ScriptedReply, ScriptInput } from './script-schema.ts';
