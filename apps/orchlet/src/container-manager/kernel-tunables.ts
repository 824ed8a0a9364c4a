import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { wrongKernelSettings } from "@orchernetes/host";
import { type Logger, messageOf } from "@orchernetes/kernel";

/**
 * Sets the kernel settings that differ from what a node needs. A setting that cannot be changed is logged: an agent without
 * privileges keeps it.
 *
 * @param isAllowed false: they are only logged, because other agents share the host
 * @param proc where procfs is mounted
 */
export async function setUpKernelTunables({
  isAllowed,
  proc = "/proc",
  logger,
}: {
  readonly isAllowed: boolean;
  readonly proc?: string | undefined;
  readonly logger: Logger;
}): Promise<void> {
  const fileOf = (path: string): string => join(proc, "sys", path);
  const wrong = wrongKernelSettings((path) => readFileSync(fileOf(path), "utf8"));
  if (wrong.length === 0) return;
  if (!isAllowed) {
    const names = wrong.map(({ name, want, found }) => `${name}=${found ?? "?"} (want ${want})`);
    logger.v(2)?.info("Kernel settings differ from what a node needs", { settings: names.join(", ") });
    return;
  }
  for (const { name, want, found } of wrong) {
    try {
      await writeFile(fileOf(name.replaceAll(".", "/")), String(want));
      logger.info("Updated kernel flag", { name, value: want, before: found });
    } catch (error) {
      logger.warn("Failed to update a kernel flag", { name, want, found, error: messageOf(error) });
    }
  }
}
