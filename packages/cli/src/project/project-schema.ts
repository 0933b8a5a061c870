import * as z from 'zod';
import { proxySection } from './proxy-section.ts';

/** All of `forge.yaml`. A part is one file and one line here. */
export const projectSchema = z.strictObject({
  proxy: proxySection.optional(),
});

export type ProjectConfig = z.infer<typeof projectSchema>;
