import { core } from "@orchernetes/api";
import type { EventRecorder } from "@orchernetes/client";
import { messageOf } from "@orchernetes/kernel";

const action = "StartOrchProxy";

/** Events about the node that the daemon runs on, as the original records them. */
export class NodeEvents {
  readonly #events: EventRecorder;
  readonly #node: { readonly kind: string; readonly name: string; readonly uid: string };

  constructor(events: EventRecorder, nodeName: string) {
    this.#events = events;
    // The object is not known, and need not exist: the name stands for its uid.
    this.#node = { kind: core.nodes.kind, name: nodeName, uid: nodeName };
  }

  /** The daemon begins to serve. */
  starting(): void {
    this.#events.event(this.#node, "Normal", "Starting", "", { action });
  }

  /** The port of the health checks cannot be listened on. @param address with the port */
  healthCheckFailed(address: string, error: unknown): void {
    const message = `failed to start proxier healthz on ${address}: ${messageOf(error)}`;
    this.#events.event(this.#node, "Warning", "FailedToStartProxierHealthcheck", message, { action });
  }

  /** The size of the table of connections cannot be set because the file system of the kernel's settings is read-only. */
  readOnlySysfs(): void {
    const message =
      "CRI error: /sys is read-only: cannot modify conntrack limits, problems may arise later (If running Docker, see docker issue #24000)";
    this.#events.event(this.#node, "Warning", "readOnlySysFS", message, { action });
  }
}
