/** The calls of the model's last turn that have no result yet, oldest first. */
export interface OpenCalls {
  /** A new turn: what was open before stays unanswered. */
  turn(parts: readonly { readonly type: string }[]): void;
  /** The call a result belongs to: by its id, else the oldest by its name. */
  answer(result: { readonly id: string | undefined; readonly name: string }): Call | undefined;
}

interface Call {
  readonly id: string;
  readonly name: string;
}

/**
 * For wires whose results may leave out the id. Chat completions have their own (`call-ids.ts`
 * there): their results may come turns later, and ids they leave out are made up differently.
 */
export function createOpenCalls({ anyName }: { readonly anyName: boolean }): OpenCalls {
  let open: Call[] = [];
  return {
    turn(parts) {
      open = parts.filter(isCall);
    },
    answer({ id, name }) {
      const at = open.findIndex((call) => {
        if (id !== undefined) return call.id === id;
        return call.name === name || (anyName && name === '');
      });
      return at === -1 ? undefined : open.splice(at, 1)[0];
    },
  };
}

function isCall(part: { readonly type: string }): part is { type: 'tool_call' } & Call {
  return part.type === 'tool_call';
}
