import { networking } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { EventRecorder } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";

/** Policies that are reported after one synchronization; further ones follow after later ones. */
const MAX_REPORTED = 10;

/** Reports policies that isolate pods but allow nothing, each once for the same reason: in the log, and as events about them. */
export class UnenforcedPolicies {
  readonly #events: Pick<EventRecorder, "event">;
  readonly #logger: Logger;
  /** Reasons, by key of the policy. */
  readonly #reported = new Map<string, string>();

  constructor(events: Pick<EventRecorder, "event">, logger: Logger) {
    this.#events = events;
    this.#logger = logger;
  }

  /**
   * @param unenforced why each of them allows nothing, by key
   * @param find finds a policy by its key; one that is gone is only logged
   */
  report(
    unenforced: ReadonlyMap<string, string>,
    find: (key: string) => Stored<networking.NetworkPolicy> | undefined,
  ): void {
    for (const key of this.#reported.keys()) if (!unenforced.has(key)) this.#reported.delete(key);
    const fresh = [...unenforced].filter(([key, reason]) => this.#reported.get(key) !== reason);
    for (const [key, reason] of fresh.slice(0, MAX_REPORTED)) {
      this.#reported.set(key, reason);
      this.#logger.warn("A network policy isolates pods and allows nothing", { policy: key, reason });
      const policy = find(key);
      if (policy === undefined) continue;
      const { name, namespace, uid } = policy.metadata;
      const { kind, group, version } = networking.networkPolicies;
      const object = {
        kind,
        apiVersion: `${group}/${version}`,
        name,
        uid,
        ...(namespace !== undefined && { namespace }),
      };
      this.#events.event(object, "Warning", "PolicyNotEnforced", `Isolates pods and allows nothing: ${reason}`, {
        action: "EnforcePolicy",
      });
    }
  }
}
