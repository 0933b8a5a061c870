import fc from 'fast-check';

/**
 * Loaded before every test file: properties draw the same cases each time, so that a red test is
 * red for everyone. `SEED=7 npm test` draws others.
 */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261_115) });
