export { agentContracts } from './agent-contracts.ts';
export { checkPipeline } from './check-pipeline.ts';
export type { CheckedPipeline } from './compile-pipeline.ts';
export { drawPipeline } from './draw-pipeline.ts';
export { definePipeline, parsePipeline } from './parse-pipeline.ts';
export { type PipelineTool, pipelineNodes } from './pipeline-nodes.ts';
export {
  type Condition,
  type PipelineDefinition,
  type PipelineEdge,
  type PipelineInput,
  type PipelineNode,
  pipelineSchema,
  type Ref,
} from './pipeline-schema.ts';
export type { AgentContract, AgentContracts } from './value-type.ts';
