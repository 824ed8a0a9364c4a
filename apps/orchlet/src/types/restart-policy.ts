import type { core } from "@orchernetes/api";

/** Whether a container in this state is to be started, by the pod's restart policy. */
export function mayStart(
  latest: { readonly phase: string; readonly exitCode: number } | undefined,
  restartPolicy: NonNullable<core.PodSpec["restartPolicy"]>,
): boolean {
  if (latest === undefined || latest.phase === "created" || latest.phase === "unknown") return true;
  if (latest.phase === "running") return false;
  if (restartPolicy === "OnFailure") return latest.exitCode !== 0;
  return restartPolicy === "Always";
}
