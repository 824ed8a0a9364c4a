import type { Clock, Logger } from "@orchernetes/kernel";
import { clusterClients } from "../userspace/cluster-clients.ts";
import { routesOf } from "../userspace/routes.ts";
import { UserspaceProxy } from "../userspace/userspace-proxy.ts";
import type { ServiceBackend } from "./service-backend.ts";

/** The options of {@link userspaceBackend}. */
export interface UserspaceBackendOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** `udpIdleTimeout` */
  readonly udpIdleMs: number;
  /** Local addresses at which node ports are served. */
  readonly nodePortAddresses: readonly string[];
  /** `clusterCIDR` */
  readonly clusterCIDR: string;
  /** Whether services are served at all: of several daemons on one host, only one can listen on an address. */
  readonly isEnabled: boolean;
}

/** Serves services by forwarding their connections in this process. */
export function userspaceBackend(options: UserspaceBackendOptions): ServiceBackend {
  const { clock, logger, udpIdleMs, nodePortAddresses, clusterCIDR, isEnabled } = options;
  const proxy = new UserspaceProxy({ clock, logger, udpIdleMs });
  const isInCluster = clusterClients(clusterCIDR === "" ? [] : clusterCIDR.split(","));
  if (!isEnabled) logger.info("The services of this host are served by another daemon");
  return {
    mode: "userspace",
    apply: async (rules) => {
      if (isEnabled) await proxy.sync(routesOf(rules.frontends(), nodePortAddresses, isInCluster));
    },
    close: () => proxy.close(),
  };
}
