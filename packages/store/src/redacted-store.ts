import { isUtf8 } from 'node:buffer';
import { type Redactor, redactHappening, redactJson, redactParts } from '@forge/core';
import type { Append, NewMessage, NewRun, Store } from './store.ts';

/** A store that writes no secrets. What is read was written so, and needs no second look. */
export function redactedStore(store: Store, redactor: Redactor): Store {
  const text = (words: string) => redactor.redact(words);
  const parts = <T>(value: T): T => redactParts(redactor, value);
  const message = <T extends NewMessage>(sent: T): T => {
    const payload = parts(sent.payload);
    return payload === sent.payload ? sent : { ...sent, payload };
  };
  const run = (made: NewRun): NewRun => ({
    ...made,
    ...(made.title !== undefined && { title: text(made.title) }),
    ...(made.inbox !== undefined && { inbox: made.inbox.map(message) }),
  });
  const step = (written: Append): Append => {
    const { happenings, approvals, children, sends } = written;
    return {
      ...written,
      happenings: happenings.map((happening) => redactHappening(redactor, happening)),
      ...(approvals !== undefined && {
        approvals: approvals.map((approval) => ({
          ...approval,
          proposed: redactJson(redactor, approval.proposed),
          ...(approval.question !== undefined && {
            question: redactJson(redactor, approval.question),
          }),
        })),
      }),
      ...(children !== undefined && { children: children.map(run) }),
      ...(sends !== undefined && { sends: sends.map(message) }),
    };
  };
  return {
    ...store,
    redactor,
    createRun: async (made) => store.createRun(run(made)),
    append: async (written) => store.append(step(written)),
    send: async (runId, sent) => store.send(runId, message(sent)),
    strike: async (lease) =>
      store.strike({
        ...lease,
        ...(lease.dead !== undefined && {
          dead: { ...lease.dead, explanation: text(lease.dead.explanation) },
        }),
        ...(lease.sends !== undefined && { sends: lease.sends.map(message) }),
      }),
    decide: async (decisions, at) => store.decide(decisions.map(parts), at),
    saveSchedule: async (schedule, expectedVersion) =>
      store.saveSchedule({ ...schedule, spec: parts(schedule.spec) }, expectedVersion),
    fire: async (firing) =>
      store.fire({
        ...firing,
        schedule: { ...firing.schedule, spec: parts(firing.schedule.spec) },
        ...(firing.sends !== undefined && { sends: firing.sends.map(message) }),
        ...(firing.starts !== undefined && { starts: firing.starts.map(run) }),
      }),
    putBlob: async (bytes) => store.putBlob(redactBytes(redactor, bytes)),
    fork: async (options) =>
      store.fork({
        ...options,
        ...(options.title !== undefined && { title: text(options.title) }),
      }),
  };
}

/** Text without secrets; what is no text, and what has none, as it is. */
function redactBytes(redactor: Redactor, bytes: Uint8Array): Uint8Array {
  if (!isUtf8(bytes)) return bytes;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const clean = redactor.redact(text);
  return clean === text ? bytes : Buffer.from(clean);
}
