export { type AskHumanOptions, askHuman } from './ask-human.ts';
export { doneForNow } from './done-for-now.ts';
export type { PersonTool } from './person-tool.ts';
export { type Question, questionSchema, readQuestion } from './question.ts';
export { requestApproval } from './request-approval.ts';
