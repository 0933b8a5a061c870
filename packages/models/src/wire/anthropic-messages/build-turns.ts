import type { AssistantMessage, JsonObject, Message, TextPart, ToolMessage } from '@forge/core';
import { CallPairing, type CallSlot } from './call-pairing.ts';
import {
  encodeAssistantPart,
  encodeImage,
  encodeOpaque,
  encodeText,
  encodeToolCall,
} from './encode-content.ts';
import { encodeResult, saysSomething, tellResult } from './encode-result.ts';
import { isMidConversation, withoutMark } from './mid-conversation.ts';
import { fromProvider } from './provider-fields.ts';

/** What the user says where the history has no words of theirs but this API wants some. */
export const noWords = '[no message]';

interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: JsonObject[];
  /** An assistant's calls. */
  readonly calls: CallSlot[];
  /** The calls whose results a user's turn starts with. */
  readonly answers: readonly CallSlot[];
  fields: JsonObject;
}

export interface Turns {
  readonly system: readonly TextPart[];
  readonly messages: readonly JsonObject[];
}

/**
 * A history as this API takes it. The user speaks first and turns alternate: neighbours of one
 * role are one turn. Results stand first in the user's turn right after their calls, in the order
 * of the calls; a call without one gets a result that says so. Call ids are unique. Nothing is
 * blank, no turn of the assistant ends in thought, and thoughts without a signature, which this
 * API refuses, are left out. A history that did not end with the assistant still does not. What
 * is already right is sent unchanged. Linear in the history.
 */
export function buildTurns(messages: readonly Message[]): Turns {
  const builder = new TurnBuilder();
  for (const message of messages) builder.add(message);
  const endsWithAssistant = messages.at(-1)?.role === 'assistant';
  return { system: builder.system, messages: builder.finish({ endsWithAssistant }) };
}

class TurnBuilder {
  readonly system: TextPart[] = [];
  readonly #turns: Turn[] = [];
  readonly #pairing = new CallPairing();

  add(message: Message): void {
    switch (message.role) {
      case 'system': {
        const parts = message.content.filter(saysSomething);
        if (this.#turns.length === 0 || !isMidConversation(message)) append(this.system, parts);
        else if (parts.length > 0) this.#say('system', parts.map(encodeText), withoutMark(message));
        return;
      }
      case 'user': {
        const blocks: JsonObject[] = [];
        for (const part of message.content.filter(saysSomething)) {
          if (part.type === 'text') blocks.push(encodeText(part));
          else if (part.type === 'image') blocks.push(encodeImage(part));
          else blocks.push(...present(encodeOpaque(part)));
        }
        if (blocks.length > 0) this.#say('user', blocks, fromProvider(message));
        return;
      }
      case 'assistant':
        this.#addReply(message);
        return;
      case 'tool':
        this.#addResults(message);
        return;
      default:
        message satisfies never;
    }
  }

  finish({ endsWithAssistant }: { endsWithAssistant: boolean }): readonly JsonObject[] {
    this.#answerCalls();
    const turns = alternate(this.#turns);
    const first = turns[0];
    const last = turns.at(-1);
    const words = [encodeText({ type: 'text', text: noWords })];
    if (first?.role !== 'user') turns.unshift(newTurn('user', { blocks: words }));
    if (last?.role === 'assistant') {
      if (endsWithAssistant) trimEnd(last);
      else turns.push(newTurn('user', { blocks: words }));
    }
    return turns.map(encodeTurn);
  }

  #addReply(message: AssistantMessage): void {
    const parts = message.content.filter(saysSomething);
    const sent = parts.filter((part) => part.type !== 'reasoning' || part.signature);
    if (sent.length === 0) return;
    const turn = this.#turn('assistant', fromProvider(message));
    const number = this.#turns.length;
    for (const part of sent) {
      if (part.type === 'tool_call') {
        const slot = this.#pairing.add(part, number);
        turn.calls.push(slot);
        turn.blocks.push(encodeToolCall(slot.call));
      } else turn.blocks.push(...present(encodeAssistantPart(part)));
    }
  }

  #addResults(message: ToolMessage): void {
    for (const result of message.content) {
      const turn = this.#pairing.answer(result);
      if (turn === undefined) this.#say('user', tellResult(result), fromProvider(message));
      else if (turn === this.#turns.length) this.#turn('user', fromProvider(message));
    }
  }

  #say(role: Turn['role'], blocks: readonly JsonObject[], fields: JsonObject): void {
    append(this.#turn(role, fields).blocks, blocks);
  }

  #turn(role: Turn['role'], fields: JsonObject): Turn {
    if (role !== 'assistant') this.#answerCalls();
    let turn = this.#turns.at(-1);
    if (turn?.role !== role) {
      turn = newTurn(role, {});
      this.#turns.push(turn);
    }
    turn.fields = { ...turn.fields, ...fields };
    return turn;
  }

  /** The turn after calls is the user's, whoever speaks next. */
  #answerCalls(): void {
    const last = this.#turns.at(-1);
    if (last === undefined || last.calls.length === 0) return;
    this.#turns.push(newTurn('user', { answers: last.calls }));
  }
}

function newTurn(role: Turn['role'], parts: Partial<Pick<Turn, 'blocks' | 'answers'>>): Turn {
  return { role, blocks: parts.blocks ?? [], calls: [], answers: parts.answers ?? [], fields: {} };
}

/** Takes thoughts off the end of the assistant's turns, and turns that are then empty. */
function alternate(turns: readonly Turn[]): Turn[] {
  const sent: Turn[] = [];
  for (const turn of turns) {
    if (turn.role === 'assistant') dropLastThoughts(turn.blocks);
    if (turn.blocks.length === 0 && turn.answers.length === 0) continue;
    const last = sent.at(-1);
    if (last?.role === turn.role) {
      append(last.blocks, turn.blocks);
      last.fields = { ...last.fields, ...turn.fields };
    } else sent.push(turn);
  }
  return sent;
}

function dropLastThoughts(blocks: JsonObject[]): void {
  while (blocks.at(-1)?.type === 'thinking' || blocks.at(-1)?.type === 'redacted_thinking') {
    blocks.pop();
  }
}

/** The words the assistant is to go on from may not end in a space. */
function trimEnd({ blocks }: Turn): void {
  const last = blocks.at(-1);
  if (last?.type !== 'text' || typeof last.text !== 'string') return;
  blocks.splice(-1, 1, { ...last, text: last.text.trimEnd() });
}

function encodeTurn({ role, blocks, answers, fields }: Turn): JsonObject {
  const results = answers.map(({ call, result }) => encodeResult(call, result));
  const after = results.flatMap((result) => result.after);
  const content = [...results.map(({ block }) => block), ...after, ...blocks];
  return { ...fields, role, content };
}

/** Lists too long to be arguments of `push` are legal here. */
function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item);
}

function present<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
