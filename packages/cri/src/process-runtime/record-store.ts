import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unmountAndRemove } from "@orchernetes/host";

/** Stores records as JSON files, each in a folder that also contains other files of the same container or sandbox. */
export interface RecordStore<R extends { readonly id: string }> {
  /** Folder of a record. */
  dir(id: string): string;
  /**
   * Loads all readable records. Deletes folders without one, which a crash during a creation or removal leaves. A
   * folder in which something is mounted stays until it is unmounted.
   */
  load(): Promise<R[]>;
  /** Writes a record. After a crash, the file has either its new or its previous content. */
  save(record: R): Promise<void>;
  /** Deletes a record and its folder. Idempotent. @throws StillMounted when something is mounted there and in use */
  remove(id: string): Promise<void>;
}

const fileName = "state.json";

/** Creates a record store in `root`. `bigint` fields are supported if their name ends in `At`. */
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
      // Reads the value from `this`, because BigInt.prototype.toJSON may be defined elsewhere in the process.
      const json = JSON.stringify(record, function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
        const own = this[key];
        return typeof own === "bigint" ? String(own) : value;
      });
      // Writes of one record run one after the other, because they share the temporary file.
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
