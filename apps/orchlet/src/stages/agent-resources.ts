import { join } from "node:path";
import { runPodResourcesServer } from "../container-manager/pod-resources/pod-resources-server.ts";
import type { AgentHost } from "./agent-host.ts";
import type { AgentPods } from "./agent-pods.ts";
import type { AgentSources } from "./agent-sources.ts";

/**
 * Keeps containers on their CPUs, serves the registration of device plugins, and serves the pod resources API, until the agent
 * stops.
 */
export function runResources(
  { resources, cri, config, paths, metrics, logger, signal }: AgentHost,
  { workers }: AgentPods,
  { allRead }: Pick<AgentSources, "allRead">,
): readonly Promise<void>[] {
  const { featureEnabled } = config;
  const running = resources.run({ cri, knows: (uid) => workers.has(uid), allSourcesRead: allRead }, signal);
  if (!featureEnabled("OrchletPodResources")) return running;
  const socketPath = join(paths.root, "pod-resources", "orchlet.sock");
  return [
    ...running,
    runPodResourcesServer(
      {
        ...{ socketPath, featureEnabled, metrics, logger },
        active: () => workers.active(),
        assigned: (...container) => resources.assigned(...container),
        allocatable: () => resources.allocatable(),
      },
      signal,
    ),
  ];
}
