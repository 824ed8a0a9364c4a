/**
 * Formats times as metav1.MicroTime: RFC 3339 with microseconds, in UTC. The last text is kept, as many requests share
 * a millisecond.
 */
export class Timestamps {
  #ms = Number.NaN;
  #text = "";

  of(ms: number): string {
    if (ms !== this.#ms) {
      this.#ms = ms;
      this.#text = `${new Date(ms).toISOString().slice(0, -1)}000Z`;
    }
    return this.#text;
  }
}
