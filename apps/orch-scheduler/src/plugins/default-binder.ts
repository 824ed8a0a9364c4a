import type { Client } from "@orchernetes/client";
import type { LeaseClaim } from "@orchernetes/component-helpers";
import { stateKey } from "../framework/cycle-state.ts";
import type { BindPlugin } from "../framework/interfaces.ts";
import { bindPod } from "../pod-writes.ts";

/** The lease under which the node was chosen; there is none without leader election. */
export const decidedUnder = stateKey<LeaseClaim>("lease");

/** Bind DefaultBinder: writes the pod's binding. The server rejects it if the lease is held otherwise meanwhile. */
export const defaultBinder = (client: Client): BindPlugin => ({
  name: "DefaultBinder",
  async bind({ pod }, { metadata }, state) {
    await bindPod(client, pod, metadata.name ?? "", state.get(decidedUnder));
    return "bound";
  },
});
