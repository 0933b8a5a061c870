import type { JsonObject, JsonSchema } from '@forge/core';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateMessageResultWithTools,
} from '@modelcontextprotocol/client';

/** Something a server wants to know from a person while it works on a call. */
export interface HumanRequest {
  readonly server: string;
  readonly message: string;
  /** The answer's shape, for a form. */
  readonly schema?: JsonSchema;
  /** A page the person is asked to visit, instead of a form. */
  readonly url?: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type HumanAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** Asks a person on behalf of a server. */
export type AskHuman = (request: HumanRequest) => Promise<HumanAnswer>;

/** Lets a server use our model. It sees what the server sends: treat that as untrusted. */
export type Sample = (request: {
  readonly server: string;
  readonly params: CreateMessageRequestParams;
  readonly signal: AbortSignal;
}) => Promise<CreateMessageResult | CreateMessageResultWithTools>;

export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/** What a server may ask of us. What is not given is refused, and not announced to servers. */
export interface ServerPorts {
  /** For questions that belong to no call, or to one whose caller has nobody to ask. */
  readonly askHuman?: AskHuman;
  /**
   * Those who call tools have people to ask: the `askPerson` in the context of a call. What a server
   * asks while it works on that call goes there first. A durable run has it.
   */
  readonly callersAskPeople?: boolean;
  readonly sample?: Sample;
  /** The folders a server should keep to. A wish, not a fence. */
  readonly roots?: () => readonly Root[];
}
