import { parse, stringify } from 'yaml';
import type { Detected } from './detect-project.ts';

/** Where the schema lies that editors are told of. In the project: no network, and the right version. */
export const schemaPath = '.forge/forge.schema.json';

/** A `forge.yaml` a person would write: what is known, and what else there is as comments. */
export function projectText({
  name,
  model,
  detected,
}: {
  readonly name: string;
  readonly model?: string | undefined;
  readonly detected: Detected;
}): string {
  const { language, checks } = detected;
  return `# yaml-language-server: $schema=./${schemaPath}
# Settings of this project. What holds here, and where it came from: forge config --origins

name: ${scalar(name)}
${language === undefined ? '# language: typescript' : `language: ${scalar(language)}`}

# The model of every agent that names none. Keys are read from the environment
# (OPENAI_API_KEY, ANTHROPIC_API_KEY, …), never from this file.
${model === undefined ? '# model: ollama:qwen3:8b' : `model: ${scalar(model)}`}

# Commands that have to pass before work counts as done.
${checks.length === 0 ? '# checks:\n#   - npm test' : `checks:\n${checks.map((check) => `  - ${scalar(check)}`).join('\n')}`}

# Agents by name: planner, coder, reviewer, deployer, verifier, and your own.
# agents:
#   coder: { model: "anthropic:claude-sonnet-4-5", max_iterations: 25 }
#   reviewer: { max_review_rounds: 3 }

${deployText(detected)}

# Where agents run commands. auto: docker, else bubblewrap.
sandbox:
  backend: auto
  network: none # or full, or a list of hosts

# Limits of a run.
# runtime:
#   max_pipeline_duration_ms: 3600000
#   max_agent_tokens: 200000
#   max_cost_usd: 5
#   allowed_shell_commands: [git, npm, node]
`;
}

function deployText({ target, build, start, port }: Detected): string {
  const about = '# Where the software runs once it is reviewed.';
  switch (target) {
    case 'process':
      return `${about} It has to listen on $PORT.
deploy:
  target: process
  config:
${build === undefined ? '    # build: npm ci' : `    build: ${scalar(build)}`}
    start: ${scalar(start ?? '')}
    health: { path: / }`;
    case 'docker':
      return `${about}
deploy:
  target: docker
  config:
    dockerfile: Dockerfile
${port === undefined ? '    # container_port: 3000' : `    container_port: ${port}`}
    health: { path: / }`;
    default:
      return `${about} Until then, runs stop after review.
# deploy:
#   target: process
#   config: { start: npm start, health: { path: / } }`;
  }
}

/** Plain where YAML reads it back as the same text, else quoted; always on one line. */
export function scalar(text: string): string {
  const plain = stringify(text, { lineWidth: 0 }).replace(/\n$/, '');
  return plain.includes('\n') || parse(`a: ${plain}`).a !== text ? JSON.stringify(text) : plain;
}
