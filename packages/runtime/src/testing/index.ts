export { type StartRedisOptions, startRedis, type TestRedis } from './start-redis.ts';
