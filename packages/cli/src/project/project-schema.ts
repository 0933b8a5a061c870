import { mcpServersSchema } from '@forge/tools/mcp/config';
import { policySchema } from '@forge/tools/policy';
import * as z from 'zod';
import { proxySection } from './proxy-section.ts';

/** All of `forge.yaml`. A part is one file and one line here. */
export const projectSchema = z.strictObject({
  proxy: proxySection.optional(),
  /** MCP servers of the project, by name. */
  mcp: mcpServersSchema.optional(),
  /** What tools may do. */
  tools: policySchema.optional(),
  /** Plugins beside the packages of package.json: names of packages, and folders of the project. */
  plugins: z.array(z.string().min(1)).max(100).optional(),
});

export type ProjectConfig = z.infer<typeof projectSchema>;
