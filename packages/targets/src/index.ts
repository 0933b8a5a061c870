export { createTargets, type TargetRegistry } from './create-targets.ts';
export { createDeployer } from './deployer/create-deployer.ts';
export type {
  Deployer,
  DeployerOptions,
  DeployOptions,
  DeploySource,
  Place,
  RollbackOptions,
  WithdrawOptions,
} from './deployer/deployer.ts';
export { createDockerTarget } from './docker/docker-target.ts';
export type { HealthConfig } from './health/health-check.ts';
export { processTarget } from './process/process-target.ts';
export type * from './target.ts';
