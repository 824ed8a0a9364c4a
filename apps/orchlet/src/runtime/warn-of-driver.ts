import type { CriClient } from "@orchernetes/cri";
import type { Clock, Logger } from "@orchernetes/kernel";

type Driver = "cgroupfs" | "systemd";

/** How long to wait for a runtime that does not answer yet. */
const retryMs = 10_000;

/** A value in nested objects of unknown form. */
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Readonly<Record<string, unknown>>)[name]
        : undefined,
    value,
  );

/**
 * The driver of control groups that containerd tells with its configuration, for its default runtime. CRI of 1.27 has no call for it
 * (RuntimeConfig came with 1.28).
 *
 * @param info what the runtime says beside its status
 * @returns undefined where it does not tell
 */
export function toldDriver(info: Readonly<Record<string, string>> | undefined): Driver | undefined {
  let config: unknown;
  try {
    config = at(JSON.parse(info?.config ?? "null"), "containerd");
  } catch {
    return undefined;
  }
  const runtime = at(config, "defaultRuntimeName");
  const systemd = at(config, "runtimes", typeof runtime === "string" ? runtime : "runc", "options", "SystemdCgroup");
  return typeof systemd === "boolean" ? (systemd ? "systemd" : "cgroupfs") : undefined;
}

/**
 * Warns once if the runtime says that it has another driver of control groups than the agent: the kernel's limits of pods would not hold
 * for their containers.
 */
export async function warnOfOtherDriver(
  driver: Driver,
  { cri, logger, clock, signal }: { cri: CriClient; logger: Logger; clock: Clock; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const told = toldDriver((await cri.runtime.status({ verbose: true })).info);
      if (told !== undefined && told !== driver)
        logger.warn("The container runtime has another cgroup driver than the agent; set both to the same", {
          cgroupDriver: driver,
          runtime: told,
        });
      return;
    } catch {
      // It is not there yet: the node's status reports that.
      await clock.sleep(retryMs, signal).catch(() => undefined);
    }
  }
}
