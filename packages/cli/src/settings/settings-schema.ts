import { mcpServersSchema } from '@forge/tools/mcp/config';
import { policySchema } from '@forge/tools/policy';
import * as z from 'zod';
import { proxySection } from '../project/proxy-section.ts';

const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/)
  .meta({ expected: 'a name of letters, digits, ".", "_" and "-" that begins with a letter' });
const modelName = z
  .string()
  .min(1)
  .max(500)
  .meta({ expected: 'the name of a model, such as ollama:qwen3:8b' });
const jsonSchema = z.record(z.string(), z.json()).meta({ expected: 'a JSON Schema' });

/** What may be said of one agent. Those of the pipeline have defaults for all of it. */
export const agentSection = z.strictObject({
  model: modelName
    .optional()
    .describe('The model, such as ollama:qwen3:8b. Pins it: the router is not asked.'),
  max_tokens: z.int().min(1).optional().describe('Tokens of one reply.'),
  temperature: z.number().min(0).max(2).optional().describe('How freely the model chooses words.'),
  prompt: z.string().min(1).optional().describe('A file with its instructions, in the project.'),
  max_iterations: z.int().min(1).optional().describe('Turns of the model in one run.'),
  max_review_rounds: z
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe('For the reviewer: how often work is sent back before the run fails.'),
  tools: z
    .array(z.string().min(1))
    .max(200)
    .optional()
    .describe('For agents of your own: the tools it has, by name.'),
  description: z
    .string()
    .max(2_000)
    .optional()
    .describe('For agents of your own: what it is for, in a sentence.'),
  task_type: z.string().min(1).max(64).optional().describe('The word the router knows it by.'),
  input: jsonSchema.optional().describe('JSON Schema of what it is given.'),
  output: jsonSchema.optional().describe('JSON Schema of what it hands on.'),
});

/**
 * All that can be configured, once: `forge.yaml`, the user's `config.yaml`, the environment and
 * flags are read against this. The keys of the earlier systems are here as they were.
 */
export const settingsSchema = z.strictObject({
  name: name.optional().describe('The name of the project. Default: that of its folder.'),
  language: z.string().min(1).max(40).optional().describe('What it is written in. Shown only.'),
  model: modelName.optional().describe('The model of every agent that names none.'),
  profile: z.string().min(1).optional().describe('A profile of .forge/profiles for forge agent.'),
  profiles_dir: z
    .string()
    .min(1)
    .optional()
    .describe("A folder with more profiles; one of the same id counts more than the project's."),
  agents: z
    .record(name, agentSection)
    .default({})
    .describe(
      'Agents by name: planner, coder, reviewer, deployer, verifier, agent (that of forge agent), and your own.',
    ),
  checks: z
    .array(z.string().min(1).max(10_000))
    .max(20)
    .default([])
    .describe('Commands that have to pass before work counts as done, such as npm test.'),
  pipeline: z
    .union([z.string().min(1), z.record(z.string(), z.json())])
    .meta({ expected: 'a file, or a block with the pipeline' })
    .optional()
    .describe('A pipeline of your own: a file (TypeScript or YAML), or the pipeline itself.'),
  max_parallel_coders: z
    .int()
    .min(1)
    .max(32)
    .default(2)
    .describe('Coders that work at the same time on tasks that do not wait for each other.'),
  max_deploy_attempts: z
    .int()
    .min(1)
    .max(10)
    .default(2)
    .describe('How often a deployment that fails verification is fixed and tried again.'),
  deploy: z
    .strictObject({
      target: z.string().min(1).optional().describe('Where it runs: process, docker, or a plugin.'),
      approval: z.boolean().default(false).describe('A person has to say yes to each deployment.'),
      config: z.record(z.string(), z.json()).default({}).describe("The target's own settings."),
    })
    .prefault({})
    .describe('How the software is deployed.'),
  runtime: z
    .strictObject({
      max_pipeline_duration_ms: z
        .int()
        .min(1_000)
        .optional()
        .describe(
          'The longest a pipeline may take, in milliseconds, pauses left out. Default: no limit, as a person may be asked on the way.',
        ),
      max_agent_tokens: z.int().min(1).optional().describe('Tokens of one agent in one run.'),
      max_cost_usd: z.number().min(0).optional().describe('What one agent may cost in one run.'),
      max_shell_commands: z
        .int()
        .min(0)
        .optional()
        .describe('Shell commands of one agent in one run.'),
      allowed_shell_commands: z
        .array(z.string().min(1))
        .max(500)
        .optional()
        .describe('The only programs a shell command may name. Default: any.'),
    })
    .prefault({})
    .describe('Limits of runs.'),
  router: z
    .strictObject({
      weights: z
        .record(z.string(), z.record(modelName, z.number().min(0)))
        .default({})
        .describe('By task type, then by model: how often a model is chosen.'),
    })
    .prefault({})
    .describe('Which model does which work.'),
  sandbox: z
    .strictObject({
      backend: z
        .enum(['auto', 'docker', 'bubblewrap', 'process'])
        .default('auto')
        .describe('What holds commands. process holds nothing: for trusted work only.'),
      image: z.string().min(1).optional().describe('With docker: the image commands run in.'),
      network: z
        .union([z.enum(['none', 'full']), z.array(z.string().min(1)).max(200)])
        .meta({ expected: 'none, full, or a list of hosts' })
        .default('none')
        .describe('none, full, or the hosts that may be reached.'),
      cpus: z.number().positive().optional().describe('Cores; 1.5 is one and a half.'),
      memory_mb: z.int().min(16).optional().describe('Memory of all its processes, in MiB.'),
      command_timeout_s: z
        .int()
        .min(1)
        .max(86_400)
        .optional()
        .describe('The longest one command may take, in seconds.'),
    })
    .prefault({})
    .describe('Where agents run commands.'),
  store: z
    .string()
    .min(1)
    .optional()
    .describe('Where runs are kept: a file, or postgres://…. Default: a file of your own.'),
  queue: z
    .string()
    .min(1)
    .optional()
    .describe('What wakes workers: store, pg-boss, or redis://…. Default: store.'),
  worker: z
    .strictObject({
      concurrency: z.int().min(1).max(1_000).default(8).describe('Runs worked on at once.'),
    })
    .prefault({})
    .describe('Workers of this machine.'),
  proxy: proxySection.optional().describe('Profiles of forge proxy.'),
  mcp: mcpServersSchema.optional().describe('MCP servers of the project, by name.'),
  tools: policySchema.optional().describe('What tools may do.'),
  plugins: z
    .array(z.string().min(1))
    .max(100)
    .optional()
    .describe('Plugins beside the packages of package.json: names of packages, and folders.'),
});

/** With every default filled in. */
export type Settings = z.infer<typeof settingsSchema>;
/** What a person writes: everything may be left out. */
export type SettingsInput = z.input<typeof settingsSchema>;
