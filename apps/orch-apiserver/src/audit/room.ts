import type { AuditEvent } from "@orchernetes/apiserver";

/** Characters of bodies in all events together. */
const MAX_BODIES = 256 * 1024 * 1024;

/** Limits how many events wait, and how much memory their bodies take. */
export class Room {
  readonly #maxEvents: number;
  readonly #maxBodies: number;
  #events = 0;
  #bodies = 0;

  constructor(maxEvents: number, maxBodies = MAX_BODIES) {
    this.#maxEvents = maxEvents;
    this.#maxBodies = maxBodies;
  }

  /** Whether there is room for another event, which is then counted. */
  take(event: AuditEvent): boolean {
    if (this.#events >= this.#maxEvents) return false;
    const bodies = bodiesOf(event);
    if (bodies > 0 && this.#bodies + bodies > this.#maxBodies) return false;
    this.#events++;
    this.#bodies += bodies;
    return true;
  }

  /** Events that wait no longer. */
  give(events: readonly AuditEvent[]): void {
    this.#events -= events.length;
    for (const event of events) this.#bodies -= bodiesOf(event);
  }
}

const bodiesOf = ({ fields: { requestObject, responseObject } }: AuditEvent): number =>
  (requestObject?.length ?? 0) + (responseObject?.length ?? 0);
