/** Gives equal texts equal small numbers, so that hot loops compare integers. Numbers are never reused. */
export class Interner {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];

  /** The number of a text, given on first sight. */
  id(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#texts.length;
      this.#ids.set(text, id);
      this.#texts.push(text);
    }
    return id;
  }

  text(id: number): string {
    return this.#texts[id] ?? "";
  }

  get size(): number {
    return this.#texts.length;
  }
}
