export { nextDelay } from './next-delay.ts';
export { defaultRetryPolicy, type RetryPolicy } from './retry-policy.ts';
export { type Sleep, sleep } from './sleep.ts';
export { type RetryEvent, type RetryOptions, withRetry } from './with-retry.ts';
