/**
 * Maps keys to their names in etcd, where `prefix` replaces `root`. Keys that are not under `root`, such as the record of the last
 * compaction, have the same name in both.
 */
export class KeySpace {
  readonly #prefix: string;
  readonly #root: string;

  /**
   * @param prefix without a slash at the end
   * @param root "" puts the prefix before every key
   */
  constructor(prefix: string, root: string) {
    this.#prefix = prefix;
    this.#root = root;
  }

  /** The key in etcd. */
  raw(key: string): string {
    if (this.#prefix === this.#root) return key;
    return under(key, this.#root) ? this.#prefix + key.slice(this.#root.length) : key;
  }

  /** The key in this process; undefined for one that does not belong to this store. */
  key(raw: string): string | undefined {
    if (this.#prefix === this.#root) return raw;
    if (this.#root === "") return raw.startsWith(this.#prefix) ? raw.slice(this.#prefix.length) : undefined;
    if (under(raw, this.#prefix)) return this.#root + raw.slice(this.#prefix.length);
    return under(raw, this.#root) ? undefined : raw;
  }
}

/** Whether a key is in a folder; all keys are in the folder "". */
function under(key: string, folder: string): boolean {
  if (!key.startsWith(folder)) return false;
  return folder === "" ? key.startsWith("/") || key === "" : key.length === folder.length || key[folder.length] === "/";
}

/**
 * The key in etcd that exists while a migration writes the keys under a prefix, which are therefore incomplete.
 *
 * @param prefix such as `/registry`
 */
export function unfinishedMark(prefix: string): Buffer {
  return Buffer.from(`orch-etcd/unfinished${prefix}`);
}
