import { readFile, writeFile } from "node:fs/promises";

/** Settings that the suite's node agent changes when it starts. */
const SETTINGS = [
  "vm/overcommit_memory",
  "vm/panic_on_oom",
  "kernel/panic",
  "kernel/panic_on_oops",
  "kernel/keys/root_maxkeys",
  "kernel/keys/root_maxbytes",
];

/** Kernel settings as they were. */
export interface KeptSettings {
  /** Writes those that have changed; those that cannot be written stay. */
  restore(): Promise<void>;
}

/** Remembers the kernel settings that the suite's agent changes. @param folder of the settings. Default: `/proc/sys` */
export async function keepKernelSettings(folder = "/proc/sys"): Promise<KeptSettings> {
  const read = (name: string) => readFile(`${folder}/${name}`, "utf8").catch(() => undefined);
  const kept = new Map<string, string>();
  for (const name of SETTINGS) {
    const value = await read(name);
    if (value !== undefined) kept.set(name, value);
  }
  return {
    async restore() {
      for (const [name, value] of kept)
        if ((await read(name)) !== value) await writeFile(`${folder}/${name}`, value).catch(() => undefined);
    },
  };
}
