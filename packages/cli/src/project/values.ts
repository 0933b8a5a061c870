import * as z from 'zod';
import { parseBytes } from '../parse-bytes.ts';

/** Atoms that parts of the schema share. `expected` is what a person is told to write. */

export const text = z.string().min(1);
export const port = z.int().min(0).max(65_535);
export const count = z.int().min(0);
export const seconds = z.number().positive().max(86_400).meta({ expected: 'a number of seconds' });
export const bytes = z
  .union([z.int().positive(), z.string().refine((size) => parseBytes(size) !== undefined)])
  .meta({ expected: 'a size, such as 64MiB or 1048576' });
export const httpUrl = z
  .url({ protocol: /^https?$/ })
  .meta({ expected: 'an address, such as http://127.0.0.1:8080' });
export const variableName = z
  .string()
  .regex(/^[A-Za-z_]\w*$/)
  .meta({
    expected: 'the name of an environment variable (never the secret itself)',
    // What stands there instead may be the secret.
    secret: true,
  });
export const profileName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/)
  .meta({ expected: 'a name of letters, digits, ".", "_" and "-"' });
