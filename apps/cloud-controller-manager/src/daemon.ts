import type { CloudProviderTable } from "@orchernetes/cloud-provider";
import type { Daemon } from "@orchernetes/component";
import { type Config, completeConfig } from "./config.ts";
import { cloudControllerManagerFlags } from "./flags/index.ts";
import { runServer } from "./server.ts";

/** The daemon with the given providers in it. */
export function cloudControllerManager(
  providers: CloudProviderTable,
): Daemon<typeof cloudControllerManagerFlags, Config> {
  return {
    name: "cloud-controller-manager",
    description:
      "Runs the control loops that depend on the cloud the cluster lives in: nodes, routes and load balancers. The cloud is a provider: local, a process that is called over gRPC, or a module.",
    flags: cloudControllerManagerFlags,
    configure: (flags, explicit) => completeConfig(flags, explicit, providers),
    run: runServer,
  };
}
