import * as z from 'zod';

/**
 * Names that keep `<server>__<tool>` unambiguous: no two underscores in a row and none at the ends,
 * so that the first `__` of a tool's name is always where the server's name ends.
 */
export const serverNameSchema = z
  .string()
  .max(32, 'A server name has at most 32 characters.')
  .regex(
    /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/,
    'A server name is letters and digits with single "-" or "_" between them, such as "my-notes".',
  );
