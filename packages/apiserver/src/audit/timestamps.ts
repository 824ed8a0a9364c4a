/**
 * Formats times as metav1.MicroTime: RFC 3339 with microseconds, in UTC. The last text is kept, as many requests share
 * a millisecond, and so is the part before the milliseconds.
 */
export class Timestamps {
  #ms = Number.NaN;
  #text = "";
  #second = Number.NaN;
  #secondText = "";

  of(ms: number): string {
    if (ms === this.#ms) return this.#text;
    const second = Math.floor(ms / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#secondText = new Date(second * 1000).toISOString().slice(0, -"000Z".length);
    }
    this.#ms = ms;
    this.#text = `${this.#secondText}${String(Math.floor(ms - second * 1000)).padStart(3, "0")}000Z`;
    return this.#text;
  }
}
