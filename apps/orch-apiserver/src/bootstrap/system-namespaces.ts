import { core } from "@orchernetes/api";
import { ensureCreated } from "./ensure.ts";
import type { PostStartHook } from "./hook.ts";

/** Namespaces that every cluster has. */
const SYSTEM_NAMESPACES = ["default", "orch-system", "orch-public", "orch-node-lease"] as const;

/** Makes the system namespaces. */
export const systemNamespaces: PostStartHook = {
  name: "start-system-namespaces-controller",
  async run({ registry }) {
    for (const name of SYSTEM_NAMESPACES)
      await ensureCreated(registry, core.namespaces, { metadata: { name }, spec: {}, status: {} });
  },
};
