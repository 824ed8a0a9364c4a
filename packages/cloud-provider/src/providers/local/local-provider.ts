import type { CloudProviderModule } from "../../manager/provider-module.ts";
import type { CloudNode, CloudProvider, Instances } from "../../provider/cloud-provider.ts";
import { succeeded } from "../../provider/cloud-result.ts";
import { LocalBalancers } from "./local-balancers.ts";

/** Machines are what the node objects say: one exists as long as its node does, and nobody shuts it down. */
const instances: Instances = {
  exists: async () => succeeded(true),
  isShutDown: async () => succeeded(false),
  metadata: async ({ metadata, status, spec }: CloudNode) =>
    succeeded({
      providerID: spec?.providerID || `local://${metadata.name}`,
      instanceType: "local",
      zone: metadata.labels?.["topology.orchernetes.io/zone"] ?? "",
      region: metadata.labels?.["topology.orchernetes.io/region"] ?? "",
      addresses: status?.addresses ?? [],
    }),
};

/**
 * The provider `local`: a cloud without a cloud. Services of type LoadBalancer get the addresses of the nodes that may serve, at which
 * orch-proxy accepts their traffic. It has no settings.
 */
export const localProvider: CloudProviderModule = {
  configErrors: (config = "") => (config.trim() === "" ? [] : ["provider local has no settings; want an empty file"]),
  create: (): CloudProvider => ({ name: "local", instances, loadBalancers: new LocalBalancers() }),
};
