import type { Daemon } from "@orchernetes/component";
import type { CloudProviderTable } from "./cloud-provider.ts";
import { completeConfig } from "./config.ts";
import { cloudControllerManagerFlags } from "./flags/index.ts";
import { runServer } from "./server.ts";

/** The daemon with the given providers in it. */
export function cloudControllerManager(providers: CloudProviderTable): Daemon<typeof cloudControllerManagerFlags> {
  return {
    name: "cloud-controller-manager",
    description:
      "Runs the control loops that depend on the cloud the cluster lives in: nodes, routes and load balancers. The cloud is a provider that is built into the program.",
    flags: cloudControllerManagerFlags,
    run: async (flags, context) => runServer(flags, await completeConfig(flags, providers), context),
  };
}
