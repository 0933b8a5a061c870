import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hold, Progress } from '@forge/core';
import { ModelError, refusesLargeBounds, type WireError } from '@forge/models';
import type { ProxyContext } from './proxy-context.ts';
import type { Attempt, ProxyEvent } from './proxy-event.ts';
import { glance } from './reply/glance.ts';
import { PipedAnswer } from './reply/piped-answer.ts';
import { planReply, type ReplyPlan } from './reply/plan-reply.ts';
import type { JobEnd, ReplyJob } from './reply/reply-job.ts';
import { StreamedAnswer } from './reply/streamed-answer.ts';
import { asModelError, errorOf, WholeAnswer } from './reply/whole-answer.ts';
import { readRequestBody } from './server/read-request-body.ts';
import type { Route } from './server/routes.ts';
import { sendError } from './server/send-error.ts';
import { sessionOf } from './sessions/session-of.ts';
import { checkStructured } from './structured/check-structured.ts';
import { newCallId } from './turn/new-call-id.ts';
import { Turn } from './turn/turn.ts';

export type ReplyRoute = Extract<Route, { type: 'reply' }>;

/** Answers a request for a model's reply. */
export function serveReply(
  context: ProxyContext,
  incoming: IncomingMessage,
  response: ServerResponse,
  route: ReplyRoute,
) {
  const request = new ReplyRequest(context, incoming, response, route);
  readRequestBody(incoming, {
    limit: context.settings.limits.bodyBytes,
    onBody: (bytes) => request.begin(bytes),
    onFault: (error) => request.refuse(error),
    onLeave: () => request.leave(),
  });
}

const nothingHeld = () => {};

/** One request from its body to its last byte: waits for its turn, asks, and says how it went. */
class ReplyRequest {
  readonly #context: ProxyContext;
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #route: ReplyRoute;
  readonly #at: number;
  #bytes: Buffer | undefined;
  #plan: ReplyPlan | undefined;
  #turn: Turn | undefined;
  #session: string | undefined;
  #job: { call: ReplyJob['call']; hasLeft: boolean } | undefined;
  /** Undoes what is held at the moment: a place in a queue, a place at work, the slot. */
  #leaveQueue: () => void = nothingHeld;
  #hasPlace = false;
  #hold: Hold | undefined;
  #entered = 0;
  #isOver = false;
  #hasLeft = false;

  constructor(
    context: ProxyContext,
    incoming: IncomingMessage,
    response: ServerResponse,
    route: ReplyRoute,
  ) {
    this.#context = context;
    this.#incoming = incoming;
    this.#response = response;
    this.#route = route;
    this.#at = context.now();
    context.state.stats.begin();
    response.on('close', () => {
      if (!this.#isOver) this.leave();
    });
  }

  begin(bytes: Buffer) {
    if (this.#hasLeft) return; // While its body was unpacked.
    const context = this.#context;
    try {
      this.#makePlan(bytes);
    } catch (error) {
      if (error instanceof ModelError) this.refuse(error);
      else this.#fail(error);
      return;
    }
    if (context.admission.tryEnter()) return this.#enter();
    const leave = context.admission.wait(() => this.#enter());
    if (leave !== undefined) {
      this.#leaveQueue = leave;
      return;
    }
    this.refuse({
      kind: 'overloaded',
      message: 'The proxy has as many requests as it takes. Try again later.',
      retryAfter: context.admission.retryAfter(),
    });
  }

  #makePlan(bytes: Buffer) {
    const { backendHeaders } = this.#context;
    const { wire, path, search, hints } = this.#route;
    this.#bytes = bytes;
    this.#plan = planReply(this.#context, {
      ...{ wire, hints, bytes },
      path: path + backendHeaders.search(search),
    });
  }

  /** A backend that makes grammars is asked without large bounds from now on. True if it was not yet. */
  #relax(error: ModelError, stored: Progress | undefined): boolean {
    const bytes = this.#bytes;
    if (bytes === undefined || this.#hasLeft || this.#planned.hasSmallBounds) return false;
    if (!refusesLargeBounds.test(`${error.message} ${error.body ?? ''}`)) return false;
    this.#context.bounds.areSmall = true;
    this.#makePlan(bytes);
    this.#ask(stored);
    return true;
  }

  /** The proxy itself says no. */
  refuse(error: WireError) {
    if (this.#hasLeft) return;
    if (!this.#incoming.complete) this.#response.shouldKeepAlive = false;
    const status = this.#sendError(error);
    this.#finish({ status, outcome: 'refused', error: new ModelError(error) });
  }

  /** The client went: nothing is asked for any more. */
  leave() {
    if (this.#hasLeft || this.#isOver) return;
    this.#hasLeft = true;
    if (this.#job !== undefined) {
      this.#job.hasLeft = true;
      this.#job.call?.abort();
    }
    this.#finish({ status: 499, outcome: 'cancelled' });
  }

  #enter() {
    this.#leaveQueue = nothingHeld;
    this.#hasPlace = true;
    this.#entered = this.#context.now();
    const { slot, sessions } = this.#context.state;
    if (slot === undefined && sessions === undefined) return this.#ask(undefined);
    this.#prepare().then(
      (stored) => {
        if (!this.#hasLeft) this.#ask(stored);
      },
      (error: unknown) => {
        if (!this.#hasLeft) this.#fail(error);
      },
    );
  }

  /** Waits for the slot, and for what the session remembers. */
  async #prepare(): Promise<Progress | undefined> {
    const { slot, sessions } = this.#context.state;
    const plan = this.#planned;
    if (slot !== undefined) {
      const gone = new AbortController();
      this.#leaveQueue = () => gone.abort();
      const hold = await slot.acquire({
        priority: Number(this.#incoming.headers['x-forge-priority'] ?? 0) || 0,
        signal: gone.signal,
      });
      this.#leaveQueue = nothingHeld;
      if (this.#hasLeft) hold.release();
      else this.#hold = hold;
    }
    if (sessions === undefined || plan.rules.guard === undefined) return undefined;
    this.#session = sessionOf(plan, this.#incoming.headers);
    return sessions.load(this.#session);
  }

  #ask(stored: Progress | undefined) {
    try {
      this.#send(stored);
    } catch (error) {
      this.#fail(error);
    }
  }

  #send(stored: Progress | undefined) {
    const context = this.#context;
    const plan = this.#planned;
    const { settings, backend } = context;
    const { wire, rules, isRaw, stream, path, body } = plan;
    const headers = context.backendHeaders.headers(this.#incoming.rawHeaders, {
      wire: wire.name,
      search: this.#route.search,
    });
    if (isRaw && rules.guard === undefined && rules.format === undefined) {
      return this.#pipe(headers);
    }
    const turn = () => {
      this.#turn ??= new Turn({
        rules,
        progress: () => plan.progress(stored),
        mayRepeat: (calls) => stored !== undefined || plan.mayRepeat(calls),
        first: plan.first,
        climb: plan.climb,
        maxRetries: settings.guard.maxRetries,
        checkFormat: (format, text) => checkStructured({ format, text, compile: context.compile }),
        newId: newCallId,
        onBug: context.onBug,
      });
      return this.#turn;
    };
    const job: ReplyJob = {
      wire,
      backend,
      turn,
      glance: (reply) => (stored === undefined ? glance(plan, reply) : undefined),
      guard: rules.guard,
      response: this.#response,
      headers,
      isRaw,
      holdsAll: plan.holdsAll,
      readsList: plan.readsList,
      wantsUsage: plan.wantsUsage,
      maxReplyBytes: settings.limits.replyBytes,
      heartbeat: settings.limits.heartbeat,
      hold: this.#hold,
      onBug: context.onBug,
      again: (error) => this.#relax(error, stored),
      call: undefined,
      hasLeft: false,
      done: (end) => this.#finish(end),
    };
    this.#job = job;
    const listener = stream ? new StreamedAnswer(job) : new WholeAnswer(job);
    job.call = backend.call({ method: 'POST', path, headers, body }, listener);
  }

  /** Nothing to guard: the bytes go by. */
  #pipe(headers: string[]) {
    const { path, body } = this.#planned;
    const answer = new PipedAnswer({
      response: this.#response,
      onRefusal: ({ isPassed, ...answer }) => {
        const error = errorOf(this.#context.backend.wire, answer);
        if (isPassed) this.#finish({ status: answer.status, outcome: 'failed', error });
        // A page of some server in between means nothing to a client of this API.
        else this.#fail(error);
      },
      onEnd: (status) => this.#finish({ status, outcome: 'passed' }),
      onFail: (error) => this.#fail(error),
    });
    const job = {
      call: this.#context.backend.call({ method: 'POST', path, headers, body }, answer),
      hasLeft: false,
    };
    answer.call = job.call;
    this.#job = job;
  }

  get #planned(): ReplyPlan {
    if (this.#plan === undefined) throw new Error('There is no plan before there is a body.');
    return this.#plan;
  }

  #fail(error: unknown) {
    if (this.#hasLeft) return;
    if (!(error instanceof ModelError)) this.#context.onBug(error);
    const failure = asModelError(error);
    this.#finish({ status: this.#sendError(failure), outcome: 'failed', error: failure });
  }

  #sendError(error: WireError): number {
    const { wire } = this.#route;
    const { stream = false, readsList = false } = this.#plan ?? {};
    if (!this.#response.headersSent || !stream || readsList) {
      return sendError(this.#response, { error, wire });
    }
    // What went by may have stopped in the middle of a frame.
    this.#response.write(wire.framing === 'sse' ? '\n\n' : '\n');
    return sendError(this.#response, { error, wire, encoder: wire.createStreamEncoder() });
  }

  #finish(end: JobEnd) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leaveQueue();
    this.#hold?.release();
    const context = this.#context;
    const now = context.now();
    if (this.#hasPlace) context.admission.leave(now - this.#entered);
    const learned = this.#turn?.learned;
    if (this.#session !== undefined && learned !== undefined) {
      context.state.sessions?.save(this.#session, learned);
    }
    context.record(this.#event(end, now - this.#at));
  }

  #event({ status, outcome, error, attempt }: JobEnd, took: number): ProxyEvent {
    const plan = this.#plan;
    const isLearned = this.#context.state.lessons !== undefined;
    const temperature = isLearned ? plan?.peek.value('temperature') : undefined;
    return {
      at: this.#at,
      took,
      method: 'POST',
      path: this.#route.path,
      wire: this.#route.wire.name,
      ...(plan !== undefined && { model: plan.model, stream: plan.stream, tools: plan.toolCount }),
      status,
      outcome,
      attempts: attempt === undefined ? (this.#turn?.attempts ?? noAttempts) : [attempt],
      ...(typeof temperature === 'number' && { temperature }),
      ...(this.#session !== undefined && { session: this.#session }),
      ...(error !== undefined && { error: { kind: error.kind, message: error.message } }),
    };
  }
}

const noAttempts: readonly Attempt[] = [];
