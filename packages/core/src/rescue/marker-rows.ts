/**
 * What a marker means to the scanner.
 *
 * - `open` / `close`: the borders of a call or of a group of calls
 * - `separator`: stands between the parts of one call (name, id, arguments)
 * - `parameter`, `key`, `value`, `arguments`, `name`: parts of a call written as tags
 * - `think` / `thinkEnd`: the borders of reasoning
 * - `invented`: a tool's result, which only a tool may write
 * - `wrapper`: around the answer, of no meaning to a person
 * - `noise`: end-of-text tokens and the like
 * - `turn`: the start of a turn, with a role behind it
 * - `harmony`, `recipient`, `xtml`: header grammars with a reader of their own
 */
export type Role =
  | 'open'
  | 'close'
  | 'separator'
  | 'parameter'
  | 'key'
  | 'value'
  | 'arguments'
  | 'name'
  | 'think'
  | 'thinkEnd'
  | 'invented'
  | 'wrapper'
  | 'noise'
  | 'turn'
  | 'harmony'
  | 'recipient'
  | 'xtml';

export interface Row {
  readonly names: string;
  readonly role: Role;
  readonly format?: string;
  readonly weak?: true;
  readonly code?: true;
  readonly only?: 'token' | 'tag';
  /** Where the marker was seen: a model family or a server. */
  readonly source: string;
}

/** Names are without case, pipes and separators: `<|tool_call|>`, `[TOOL-CALL]` are `toolcall`. */
export const markerRows: readonly Row[] = [
  {
    names: 'toolcall tool_request tool_invocation',
    role: 'open',
    format: 'hermes',
    source: 'Nous Hermes, Qwen, Granite 4, EXAONE, GLM, LM Studio',
  },
  {
    names: 'tool_calls',
    role: 'open',
    format: 'tool_calls',
    source: 'Jamba, Hunyuan-A13B, MiniMax-M1, Apriel, Solar; [TOOL_CALLS] of Mistral',
  },
  {
    names: 'function_call start_function_call',
    role: 'open',
    format: 'function_call',
    source: 'Granite 20B, Glaive, GigaChat 3.1, FunctionGemma',
  },
  {
    names: 'function_calls',
    role: 'open',
    format: 'function_calls',
    source: 'Claude prompts, DeepSeek V3.2, OLMo 3',
  },
  {
    names: 'tool_call_begin tool_calls_begin tool_calls_section_begin',
    role: 'open',
    format: 'kimi',
    source: 'Kimi K2, DeepSeek V3 to V3.1, Step-3, Solar',
  },
  { names: 'tool_call_start', role: 'open', format: 'lfm2', source: 'LFM2, MiniCPM3' },
  { names: 'tools_prefix', role: 'open', format: 'apertus', source: 'Apertus' },
  { names: 'start_action', role: 'open', format: 'cohere', source: 'Command R7B, Command A' },
  { names: 'action_start', role: 'open', format: 'internlm', source: 'InternLM 2 and 3' },
  {
    names: 'plugin interpreter',
    role: 'open',
    format: 'internlm',
    only: 'token',
    source: 'InternLM 2 and 3',
  },
  {
    names: 'python_tag python_start',
    role: 'open',
    format: 'llama',
    only: 'token',
    source: 'Llama 3.1 to 4',
  },
  {
    names: 'content_invoke_tool_json content_invoke_tool_text',
    role: 'open',
    format: 'inkling',
    only: 'token',
    source: 'Inkling',
  },
  { names: 'role_sep', role: 'open', format: 'gigachat', only: 'token', source: 'GigaChat 3' },
  {
    names: 'tool_use tool_uses use_tool use_mcp_tool',
    role: 'open',
    format: 'tool_use',
    only: 'tag',
    source: 'Claude distills, web proxies, MCP prompts',
  },
  {
    names: 'invoke',
    role: 'open',
    format: 'invoke',
    weak: true,
    source: 'Claude prompts, MiniMax M2 and M3, DeepSeek V3.2 and V4, Step-3, dots',
  },
  {
    names: 'function functionname',
    role: 'open',
    format: 'function',
    weak: true,
    only: 'tag',
    source: 'Llama 3.1, Functionary 3.1, Qwen3-Coder, MiniCPM5, Gorilla',
  },
  {
    names: 'tool tools functions action',
    role: 'open',
    format: 'tags',
    weak: true,
    only: 'tag',
    source: 'Qwen2.5-Coder, Kimi K3, fine-tunes',
  },
  { names: 'call', role: 'open', format: 'tags', weak: true, only: 'tag', source: 'Kimi K3' },
  {
    names: 'tool_code',
    role: 'open',
    format: 'pythonic',
    code: true,
    only: 'tag',
    source: 'Gemma 3',
  },
  {
    names: 'code execute',
    role: 'open',
    format: 'pythonic',
    weak: true,
    code: true,
    only: 'tag',
    source: 'smolagents',
  },

  {
    names:
      'tool_call_end tool_calls_end tool_calls_section_end tools_suffix end_action action_end python_end end_function_call end_tool_request end_tool_call end_tool_calls',
    role: 'close',
    source: 'the ends of the above',
  },

  {
    names: 'tool_sep tool_call_argument_begin tool_call_name tool_call_args',
    role: 'separator',
    source: 'DeepSeek, Kimi K2, Hunyuan Hy3, Solar',
  },

  {
    names: 'parameter param paramname argument arg',
    role: 'parameter',
    source: 'Qwen3-Coder, Claude prompts, MiniCPM5, Kimi K3',
  },
  { names: 'arg_key', role: 'key', source: 'GLM-4.5 on, Hunyuan Hy3' },
  { names: 'arg_value', role: 'value', source: 'GLM-4.5 on, Hunyuan Hy3' },
  {
    names:
      'parameters arguments params args tool_input action_input tool_args tool_arguments input',
    role: 'arguments',
    only: 'tag',
    source: 'Claude 2 prompts, web proxies',
  },
  {
    names: 'name tool_name function_name',
    role: 'name',
    only: 'tag',
    source: 'Claude 2 prompts, web proxies',
  },

  {
    names: 'think thinking thought thoughts reasoning reflection scratchpad inner_monologue',
    role: 'think',
    source: 'DeepSeek R1, Qwen3, Magistral, Hermes 3 and most reasoning models',
  },
  {
    names: 'start_thinking thought_start begin_of_thought content_thinking',
    role: 'think',
    only: 'token',
    source: 'Cohere, MiniCPM3, Sky-T1, Inkling',
  },
  {
    names: 'end_thinking thought_end end_of_thought',
    role: 'thinkEnd',
    only: 'token',
    source: 'Cohere, MiniCPM3, Sky-T1',
  },

  {
    names:
      'tool_response tool_responses tool_result tool_results function_result function_results function_response function_responses tool_output tool_outputs tool_outputs_begin tool_output_begin tool_results_begin',
    role: 'invented',
    source: 'the results that follow the above',
  },
  { names: 'observation ipython', role: 'invented', only: 'token', source: 'GLM, Llama' },
  {
    names: 'observation',
    role: 'invented',
    weak: true,
    only: 'tag',
    source: 'ReAct prompts in tags',
  },

  { names: 'answer response', role: 'wrapper', weak: true, source: 'Hunyuan, ERNIE 4.5, Kimi K3' },
  {
    names:
      'start_response end_response start_text end_text content_text begin_of_solution end_of_solution',
    role: 'wrapper',
    only: 'token',
    source: 'Cohere, Inkling, Sky-T1',
  },

  {
    names:
      'end_of_text endoftext im_end eot_id eom_id end_of_turn start_of_turn end_of_sentence begin_of_sentence begin_of_text eot eom end_message message_model message_sep content_model_end_sampling end_of_turn_token start_of_turn_token chatbot_token bot_end return end assistant im_middle end_of_msg tool_output_end tool_outputs_end tool_results_end',
    role: 'noise',
    only: 'token',
    source: 'end-of-turn tokens',
  },
  { names: 'call', role: 'noise', only: 'token', source: 'gpt-oss' },
  {
    names: 's bot_end end_of_turn start_of_turn eos bos pad unk',
    role: 'noise',
    only: 'tag',
    source: 'end-of-turn tokens',
  },
  {
    names:
      'im_start start_header_id header_start start_of_role im_assistant im_user im_system turn user system tool',
    role: 'turn',
    only: 'token',
    source: 'ChatML, Llama 3 and 4, Granite, Kimi, Gemma 4, GLM',
  },

  {
    names: 'channel start message constrain',
    role: 'harmony',
    only: 'token',
    source: 'gpt-oss, Muse Glimmer',
  },
  { names: 'from recipient content', role: 'recipient', only: 'token', source: 'Functionary 2' },
  { names: 'open close sep', role: 'xtml', only: 'token', source: 'Kimi K3' },
];
