export { createPool, type PoolOptions, type SandboxPool } from './create-pool.ts';
