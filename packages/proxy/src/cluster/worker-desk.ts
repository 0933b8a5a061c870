import { ForgeError, type Hold } from '@forge/core';
import type { LocalState } from '../local-state.ts';
import type { ProxyEvent } from '../proxy-event.ts';
import type { FromPrimary, FromWorker, RefusalCode } from './messages.ts';
import type { Port } from './port.ts';

/** Places in the slot's queue for one worker. Its own limits are reached long before. */
const mostHolds = 10_000;

interface Place {
  readonly giveUp: AbortController;
  hold?: Hold;
}

/** What the primary does for one worker, with the state that is shared by all. */
export class WorkerDesk {
  readonly #port: Port<FromPrimary>;
  readonly #state: LocalState;
  readonly #onEvent: (event: ProxyEvent) => void;
  readonly #places = new Map<number, Place>();
  #isOver = false;
  /** Requests the worker has under way, as far as it has said. */
  inFlight = 0;

  constructor({
    port,
    state,
    onEvent,
  }: {
    port: Port<FromPrimary>;
    state: LocalState;
    onEvent: (event: ProxyEvent) => void;
  }) {
    this.#port = port;
    this.#state = state;
    this.#onEvent = onEvent;
  }

  /** Carries out what a worker wants of the shared state. Messages about the worker itself are not for it. */
  serve(message: FromWorker): void {
    switch (message.type) {
      case 'acquire':
        this.#acquire(message.id, message.priority);
        break;
      case 'boundary':
        this.#answer(message.id, this.#places.get(message.hold)?.hold?.boundary());
        break;
      case 'release':
        this.#release(message.hold);
        break;
      case 'load':
        this.#answer(message.id, this.#state.sessions?.load(message.key));
        break;
      case 'save':
        this.#state.sessions?.save(message.key, message.progress);
        break;
      case 'events':
        this.#note(message.events, message.inFlight);
        break;
      case 'ask':
        this.#answer(message.id, this.#look(message.what));
        break;
      case 'hello':
      case 'listening':
      case 'failed':
      case 'bug':
        break;
      default:
        message satisfies never;
    }
  }

  /** The worker is gone: what it held is free, and its places in the queue with it. */
  end(): void {
    this.#isOver = true;
    for (const hold of [...this.#places.keys()]) this.#release(hold);
    this.inFlight = 0;
  }

  #acquire(id: number, priority: number): void {
    const { slot } = this.#state;
    // Its last words may be heard after its end: nobody is there to let go again.
    if (this.#isOver) return;
    if (slot === undefined || this.#places.size >= mostHolds) {
      this.#refuse(id, 'overloaded', 'Too many requests wait for the model. Try again soon.');
      return;
    }
    const place: Place = { giveUp: new AbortController() };
    this.#places.set(id, place);
    const granted = slot.acquire({ priority, signal: place.giveUp.signal }).then(
      (hold) => {
        // Else it was given up between the grant and now.
        if (this.#places.get(id) === place) place.hold = hold;
        else hold.release();
      },
      (error: unknown) => {
        this.#places.delete(id);
        throw error;
      },
    );
    this.#answer(id, granted);
  }

  #release(id: number): void {
    const place = this.#places.get(id);
    this.#places.delete(id);
    if (place?.hold !== undefined) place.hold.release();
    else place?.giveUp.abort();
  }

  #note(events: readonly ProxyEvent[], inFlight: number): void {
    this.inFlight = inFlight;
    for (const event of events) {
      this.#state.stats.record(event);
      this.#state.lessons?.observe(event);
      this.#onEvent(event);
    }
  }

  #look(what: 'report' | 'metrics' | 'lessons'): Promise<unknown> | undefined {
    switch (what) {
      case 'report':
        return this.#state.stats.report();
      case 'metrics':
        return this.#state.stats.metrics();
      case 'lessons':
        return this.#state.lessons?.all();
      default:
        return what satisfies never;
    }
  }

  #answer(id: number, work: Promise<unknown> | undefined): void {
    Promise.resolve(work).then(
      (value) => this.#port.send({ type: 'done', id, value }),
      (error: unknown) => this.#refuse(id, codeOf(error), messageOf(error)),
    );
  }

  #refuse(id: number, code: RefusalCode, message: string): void {
    void this.#port.send({ type: 'refused', id, code, message });
  }
}

function codeOf(error: unknown): RefusalCode {
  if (ForgeError.is(error, 'cancelled')) return 'cancelled';
  return ForgeError.is(error, 'slot_stopped') ? 'slot_stopped' : 'failed';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
