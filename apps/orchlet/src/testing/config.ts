import { join } from "node:path";
import { orchletConfigurationSchema } from "@orchernetes/config";
import type { Config } from "../config.ts";

/** The configuration of an agent that serves nothing, with its files in `dir`. */
export function testConfig(
  dir: string,
  { settings = {}, ...changes }: Omit<Partial<Config>, "settings"> & { readonly settings?: object } = {},
): Config {
  return {
    settings: orchletConfigurationSchema.parse({
      apiVersion: "orchlet.config.o8s.io/v1beta1",
      kind: "OrchletConfiguration",
      enableServer: false,
      healthzPort: 0,
      cgroupsPerQOS: false,
      enforceNodeAllocatable: [],
      fileCheckFrequency: "50ms",
      evictionHard: {},
      ...settings,
    }),
    nodeName: "node-a",
    nodeIPs: ["127.0.0.1"],
    nodeLabels: {},
    registerSchedulable: true,
    rootDir: join(dir, "root"),
    certDir: join(dir, "pki"),
    api: undefined,
    logMaxBytes: 1e7,
    deadContainersPerContainer: 1,
    featureEnabled: () => false,
    metricFlags: {
      "allow-metric-labels": new Map(),
      "disabled-metrics": [],
      "show-hidden-metrics-for-version": "",
    },
    warnings: [],
    ...changes,
  };
}
