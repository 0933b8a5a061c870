export { bareAgent, projectAgent } from './agent-names.ts';
export { type PipelineAgentsOptions, pipelineAgents } from './pipeline-agents.ts';
export { releaseProgram } from './release-program.ts';
