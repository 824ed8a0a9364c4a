import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unmountAndRemove } from "@orchernetes/host";

/** Keeps records as one JSON file each, in a folder of its own that other files of the record's subject share. */
export interface RecordStore<R extends { readonly id: string }> {
  /** Folder of a record. */
  dir(id: string): string;
  /**
   * Every readable record; folders without one, left by a crash in the middle of a creation or removal, are deleted. One in which
   * something is mounted stays until it is unmounted.
   */
  load(): Promise<R[]>;
  /** Writes a record; it is there whole or in its former state, whatever happens. */
  save(record: R): Promise<void>;
  /** Deletes a record and its folder. Idempotent. @throws StillMounted when something is mounted there and in use */
  remove(id: string): Promise<void>;
}

const fileName = "state.json";

/** Makes a record store in `root`. `bigint` fields named `*At` are kept. */
export function createRecordStore<R extends { readonly id: string }>(root: string): RecordStore<R> {
  const writes = new Map<string, Promise<void>>();
  const dir = (id: string) => join(root, id);

  async function write(id: string, json: string): Promise<void> {
    const path = join(dir(id), fileName);
    await writeFile(`${path}.tmp`, json, { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  }

  return {
    dir,
    async load() {
      await mkdir(root, { recursive: true, mode: 0o711 });
      const records: R[] = [];
      for (const id of await readdir(root)) {
        try {
          records.push(JSON.parse(await readFile(join(dir(id), fileName), "utf8"), revive));
        } catch {
          await unmountAndRemove(dir(id)).catch(() => undefined);
        }
      }
      return records;
    },
    async save(record) {
      // Use the value itself: BigInt.prototype.toJSON may be defined elsewhere in the process.
      const json = JSON.stringify(record, function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
        const own = this[key];
        return typeof own === "bigint" ? String(own) : value;
      });
      // Writes of one record follow each other: two at once would share the temporary file.
      const written = (writes.get(record.id) ?? Promise.resolve()).then(() => write(record.id, json));
      const settled = written.catch(() => undefined);
      writes.set(record.id, settled);
      await written;
      if (writes.get(record.id) === settled) writes.delete(record.id);
    },
    async remove(id) {
      await writes.get(id);
      await unmountAndRemove(dir(id));
    },
  };
}

function revive(key: string, value: unknown): unknown {
  return key.endsWith("At") && typeof value === "string" ? BigInt(value) : value;
}
