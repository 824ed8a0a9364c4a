/** Keeps equal parts of objects once. */
export interface PartSharing {
  /** A value that equals the given one as JSON. Neither may be changed afterwards. */
  readonly value: <T extends object>(value: T) => T;
  /** An equal text. */
  readonly text: (text: string) => string;
}

/** Every part stays what it is. */
export const unshared: PartSharing = { value: (value) => value, text: (text) => text };

/** Number of values of a generation, and of texts. */
const MAX_VALUES = 16_384;
const MAX_TEXTS = 16_384;
/** Values whose JSON is longer are not shared, so that the table of values stays small. */
const MAX_LENGTH = 4096;

/**
 * A map that forgets what was not used lately: when the newer half is full, it becomes the older one, whose entries are
 * forgotten unless they are used again.
 */
class RecentMap<T> {
  readonly #limit: number;
  #newer = new Map<string, T>();
  #older = new Map<string, T>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: T): void {
    if (this.#newer.size >= this.#limit) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }
}

/**
 * Shares the parts that were seen lately: those of pods of one template, names of nodes, times. A part that was forgotten is
 * kept once more, so the memory that it takes is limited, and nothing depends on how much is shared.
 */
export class Interned implements PartSharing {
  readonly #values = new RecentMap<object>(MAX_VALUES);
  readonly #texts = new RecentMap<string>(MAX_TEXTS);

  readonly value = <T extends object>(value: T): T => {
    const key = JSON.stringify(value);
    if (key.length > MAX_LENGTH) return value;
    const known = this.#values.get(key);
    if (known !== undefined) return known as T;
    // Objects from the parser have no spare room for further members.
    const kept = JSON.parse(key) as T;
    this.#values.set(key, kept);
    return kept;
  };

  readonly text = (text: string): string => {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  };
}
