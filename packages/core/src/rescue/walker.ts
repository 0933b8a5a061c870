import { CallZone } from './call-zone.ts';
import type { Scan } from './scan.ts';

export interface Thought {
  readonly start: number;
  /** Behind the label. */
  readonly from: number;
  end: number | undefined;
}

/** Where the walk over a text stands: the scan's findings and the call that is being read. */
export class Walker {
  readonly scan: Scan;
  zone: CallZone | undefined;
  /** ReAct thoughts: reasoning if a call or an answer follows. */
  thoughts: Thought[] = [];
  answered = false;
  /** A step of ReAct was named, of whatever tool. */
  acted = false;
  #markerEnd = 0;

  constructor(scan: Scan) {
    this.scan = scan;
  }

  enter(
    zone: Pick<CallZone, 'start' | 'opener' | 'strong' | 'form' | 'format' | 'textFrom'>,
  ): CallZone {
    this.leave();
    this.zone = new CallZone(this.scan, zone);
    this.#markerEnd = zone.textFrom;
    return this.zone;
  }

  /** Ends the zone at what belonged to it so far; whatever was pending is dropped. */
  leave(): void {
    this.zone?.leave(this.#markerEnd);
    this.zone = undefined;
  }

  /** Completes what is pending and ends the zone: a marker says that the call is over. */
  close(at: number, end: number): void {
    const { zone } = this;
    if (zone === undefined) return;
    zone.takeText(at);
    zone.flush('close');
    if (zone.outcomes > 0) zone.end = end;
    this.leave();
  }

  /**
   * Before something new at `at`: a zone that has given its calls ends where ordinary text
   * follows, since closing tags are often left out.
   */
  settle(at: number): void {
    const { zone, scan } = this;
    if (zone === undefined || zone.pending || zone.opened || zone.outcomes === 0) return;
    if (at - zone.textFrom < 200) {
      const between = scan.text.slice(zone.textFrom, at).trim();
      if (between === '' || between === ';' || between === ',') return;
      if (scan.index.resolve(between.split('\n').at(-1) ?? '') !== undefined) return;
      if (zone.form === 'token' && /^[\w.:-]+$/.test(between)) return;
    }
    this.leave();
  }

  endThought(at: number): void {
    const last = this.thoughts.at(-1);
    if (last !== undefined) last.end ??= at;
  }
}
