export {
  type ItemView,
  type NodeStatus,
  type NodeView,
  pipelineProgress,
} from './pipeline-progress.ts';
export { planPipeline } from './plan-pipeline.ts';
