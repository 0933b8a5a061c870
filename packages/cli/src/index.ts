export { type MainOptions, main, start } from './main.ts';
export type { Stream } from './terminal.ts';
