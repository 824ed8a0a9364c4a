import type { Logger } from "@orchernetes/kernel";

/** Environment variable with the limit of in-tree disks of a node whose status has none. */
const VARIABLE = "ORCH_MAX_PD_VOLS";

/**
 * The limit of in-tree disks that the environment sets instead of the defaults of the clouds (`KUBE_MAX_PD_VOLS` of the original);
 * undefined if it sets none. An invalid value is logged, and ignored.
 */
export function maxVolumesOf(
  env: Readonly<Record<string, string | undefined>>,
  logger: Pick<Logger, "warn">,
): number | undefined {
  const text = env[VARIABLE] ?? "";
  if (text === "") return undefined;
  const limit = /^\+?\d+$/.test(text) ? Number(text) : 0;
  if (limit > 0) return limit;
  logger.warn("Ignoring an invalid environment variable", {
    variable: VARIABLE,
    found: text,
    want: "a number above 0",
  });
  return undefined;
}
