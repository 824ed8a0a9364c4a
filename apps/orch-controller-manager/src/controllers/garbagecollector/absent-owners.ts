/** A bounded cache of owners that do not exist. Entries never become wrong, because uids are not reused. */
export class AbsentOwners {
  readonly #keys = new Set<string>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  has(uid: string, namespace: string): boolean {
    return this.#keys.has(`${namespace}/${uid}`);
  }

  add(uid: string, namespace: string): void {
    const key = `${namespace}/${uid}`;
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.#capacity) return;
    const oldest = this.#keys.values().next();
    if (!oldest.done) this.#keys.delete(oldest.value);
  }
}
