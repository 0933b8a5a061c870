import type { StreamEvent } from '../../wire/wire.ts';

/** The events of a reply as a backend sends them: words one by one, arguments in bits. */
export function* inPieces(events: Iterable<StreamEvent>): Generator<StreamEvent> {
  for (const event of events) {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        for (const text of event.text.match(/\S+\s*|\s+/g) ?? []) yield { ...event, text };
        break;
      case 'args':
        for (const text of event.text.match(/.{1,12}/gsu) ?? []) yield { ...event, text };
        break;
      default:
        yield event;
    }
  }
}
