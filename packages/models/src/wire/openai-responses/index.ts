export {
  createOpenaiResponses,
  type OpenaiResponsesOptions,
  openaiResponses,
} from './openai-responses.ts';
