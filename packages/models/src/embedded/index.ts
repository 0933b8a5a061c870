export { createLocalModel, type LocalModel, type LocalModelOptions } from './create-local-model.ts';
