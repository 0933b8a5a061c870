export { type AgentDefaults, agentDefaults, usualReplyTokens } from './agent-defaults.ts';
export { type AgentInput, agentInputs, readInput } from './agent-inputs.ts';
export type { AgentSettings } from './agent-settings.ts';
export { type CheckRecord, lastChecks } from './checks/check-record.ts';
export { detectChecks, type ReadProjectFile } from './checks/detect-checks.ts';
export { taskText } from './coder/finish-tool.ts';
export { type Agents, type CreateAgentsOptions, createAgents } from './create-agents.ts';
export { createDeployPort } from './create-deploy-port.ts';
export { createRunPort, eventsIn } from './create-run-port.ts';
export { type CustomAgentOptions, defineCustomAgent } from './custom/custom-agent.ts';
export { deploymentId } from './deployer/deploy-tools.ts';
export type {
  DeployedVersion,
  DeployPort,
  Kept,
  RepositoryOfRun,
  RunPort,
  WorkspacePort,
} from './ports.ts';
export { loadProfiles, type Profiles } from './profiles/load-profiles.ts';
export { builtinProfiles, type Profile, readProfile } from './profiles/profile.ts';
export { type OneStepOptions, oneStepProgram } from './programs/one-step-program.ts';
export { describeSandbox, type SandboxFacts } from './prompt/describe-sandbox.ts';
export { describeTools } from './prompt/describe-tools.ts';
export { type LoadPromptOptions, loadPrompt, promptNames } from './prompt/load-prompt.ts';
export { type Prompt, parsePrompt } from './prompt/parse-prompt.ts';
export {
  commitFiles,
  folderFiles,
  mostProjectText,
  type ProjectFiles,
  type ProjectText,
} from './prompt/project-files.ts';
export { projectRules, ruleFiles } from './prompt/project-rules.ts';
export { type PromptSections, renderPrompt } from './prompt/render-prompt.ts';
export {
  type CodingResult,
  codingResult,
  exitCodeOf,
  type ResultState,
} from './result/coding-result.ts';
export type { HttpLimits } from './verifier/http-request.ts';
