import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";

/** Follows which containers pods have. A container that runs must be the same one as long as its pod is there. */
export class ContainerWatch {
  readonly #running = new Map<string, string>();
  readonly #findings: string[] = [];

  /** Takes a version of a pod. */
  seen({ metadata, status }: Stored<core.Pod>): void {
    for (const { name, containerID = "", state, restartCount } of status.containerStatuses ?? []) {
      const key = `${metadata.uid}/${name}`;
      const before = this.#running.get(key);
      if (before !== undefined && containerID !== before)
        this.#findings.push(
          `container ${name} of pod ${metadata.name} was ${before}, and is ${containerID || "none"} (restart ${restartCount})`,
        );
      if (state?.running !== undefined || before !== undefined) this.#running.set(key, containerID);
    }
  }

  /** Drops what is known of a pod that is gone. */
  forget(uid: string): void {
    for (const key of this.#running.keys()) if (key.startsWith(`${uid}/`)) this.#running.delete(key);
  }

  /** Containers that were replaced since the last call. */
  takeFindings(): readonly string[] {
    return this.#findings.splice(0);
  }
}
