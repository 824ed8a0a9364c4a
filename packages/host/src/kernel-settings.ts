import { readFileSync } from "node:fs";

/** A kernel setting whose value is not the one that a node needs. */
export interface WrongKernelSetting {
  /** As sysctl(8) names it, such as `vm.overcommit_memory`. */
  readonly name: string;
  readonly want: number;
  /** Undefined if it cannot be read. */
  readonly found: number | undefined;
}

/**
 * The settings that the node agent requires (`--protect-kernel-defaults`): memory may be overcommitted, and after a kernel
 * panic or oops the machine reboots instead of continuing in an unknown state.
 */
const WANTED: Readonly<Record<string, number>> = {
  "vm.overcommit_memory": 1,
  "vm.panic_on_oom": 0,
  "kernel.panic": 10,
  "kernel.panic_on_oops": 1,
  "kernel.keys.root_maxkeys": 1_000_000,
  "kernel.keys.root_maxbytes": 25_000_000,
};

/**
 * The kernel settings of this host that differ from those that a node needs.
 *
 * @param read - returns the text of a file below /proc/sys; throws if there is none
 */
export function wrongKernelSettings(
  read: (path: string) => string = (path) => readFileSync(`/proc/sys/${path}`, "utf8"),
): readonly WrongKernelSetting[] {
  return Object.entries(WANTED).flatMap(([name, want]) => {
    const found = readSetting(() => read(name.replaceAll(".", "/")));
    return found === want ? [] : [{ name, want, found }];
  });
}

function readSetting(read: () => string): number | undefined {
  try {
    const value = Number.parseInt(read(), 10);
    return Number.isNaN(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
