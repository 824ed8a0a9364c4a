import { readFile, writeFile } from "node:fs/promises";
import type { Logger } from "@orchernetes/kernel";

/** Reads and writes kernel parameters; tests replace it. */
export interface KernelParameters {
  /** The value; undefined if there is no such parameter. */
  read(name: string): Promise<string | undefined>;
  /** @throws Error when it cannot be written */
  write(name: string, value: string): Promise<void>;
}

const pathOf = (name: string): string => `/proc/sys/${name}`;

/** Those of the host, below `/proc/sys`; names such as `net/ipv4/ip_forward`. */
export const hostParameters: KernelParameters = {
  read: (name) =>
    readFile(pathOf(name), "utf8").then(
      (text) => text.trim(),
      () => undefined,
    ),
  write: (name, value) => writeFile(pathOf(name), value),
};

/** A parameter that the rules need, and why, for the log. */
export interface NeededParameter {
  readonly name: string;
  readonly value: string;
  readonly why: string;
}

/**
 * Sets parameters that have another value, and logs each: the host is changed for other programs, too. A failure is logged, and
 * the rest is set all the same.
 */
export async function setParameters(
  needed: readonly NeededParameter[],
  parameters: KernelParameters,
  logger: Logger,
): Promise<void> {
  for (const { name, value, why } of needed) {
    const found = await parameters.read(name);
    if (found === value) continue;
    if (found === undefined) {
      logger.warn("The kernel does not support a parameter", { parameter: name, wanted: value, why });
      continue;
    }
    try {
      await parameters.write(name, value);
      logger.info("Set a kernel parameter", { parameter: name, from: found, to: value, why });
    } catch (error) {
      logger.error(error, "Unable to set a kernel parameter", { parameter: name, found, wanted: value, why });
    }
  }
}
