import type { AuditEvent } from "@orchernetes/apiserver";

/** Characters of the bodies in all waiting events: 256 MiB if they are ASCII. The flags limit only the number of events. */
const MAX_BODY_CHARACTERS = 256 * 1024 * 1024;

/**
 * Limits how many events wait for a backend, and how much memory their bodies take. An event without bodies is about a kilobyte, one with
 * bodies up to several megabytes, so that the number alone would not limit the memory.
 */
export class BufferCapacity {
  readonly #maxEvents: number;
  readonly #maxBodyCharacters: number;
  #events = 0;
  #bodyCharacters = 0;

  /** @param maxEvents `--audit-...-batch-buffer-size` */
  constructor(maxEvents: number, maxBodyCharacters = MAX_BODY_CHARACTERS) {
    this.#maxEvents = maxEvents;
    this.#maxBodyCharacters = maxBodyCharacters;
  }

  /** Reserves capacity for an event. Returns false, and reserves nothing, if there is not enough. */
  reserve(event: AuditEvent): boolean {
    if (this.#events >= this.#maxEvents) return false;
    const characters = bodyCharacters(event);
    if (characters > 0 && this.#bodyCharacters + characters > this.#maxBodyCharacters) return false;
    this.#events++;
    this.#bodyCharacters += characters;
    return true;
  }

  /** Releases the capacity of events that have been delivered or lost. */
  release(events: readonly AuditEvent[]): void {
    this.#events -= events.length;
    for (const event of events) this.#bodyCharacters -= bodyCharacters(event);
  }
}

const bodyCharacters = ({ fields: { requestObject, responseObject } }: AuditEvent): number =>
  (requestObject?.length ?? 0) + (responseObject?.length ?? 0);
