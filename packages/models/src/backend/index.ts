export {
  type BackendKind,
  type BackendOptions,
  type BackendPlace,
  defaultRestart,
  type LaunchSettings,
  type RestartPolicy,
} from './backend-options.ts';
export { type BackendStatus, backendLogs, backendStatus } from './backend-status.ts';
export { detectHardware } from './hardware/detect-hardware.ts';
export { type Gpu, gpuMemoryBytes, type Hardware } from './hardware/hardware.ts';
export { contextTiers, suggestContext } from './hardware/suggest-context.ts';
export { type Backend, startBackend } from './start-backend.ts';
export { stopBackend } from './stop-backend.ts';
