import type { Counter } from "@orchernetes/component";
import type { ContainerManager } from "../container-manager/container-manager.ts";
import { createDnsSettings } from "../containers/dns.ts";
import type { ContainerResourcePolicy } from "../containers/resources.ts";
import { createCredentialProviders } from "../images/credentials/credential-providers.ts";
import { pullCredentials } from "../images/pull-secrets.ts";
import { setSandboxHairpin } from "../network/hairpin.ts";
import { createPodStarter, type PodStarter, type PodStarterOptions } from "../pods/pod-starter.ts";
import { createRuntimeHandlers } from "../runtime/runtime-handlers.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import type { PodTools } from "./pod-tools.ts";

/** The runtime waits for the kernel and the network plugin more than for the CPU, so small machines get some concurrency, too. */
const minParallelStarts = 4;

/** Creates what starts the sandboxes and containers of pods, with the settings of this node. */
export function createStarter(
  host: AgentHost,
  api: AgentApi | undefined,
  tools: PodTools & Pick<PodStarterOptions, "killer" | "networkError">,
  hookFallbacks: Counter,
): PodStarter {
  const { config, cri, clock, machine, paths, logger } = host;
  const { settings, credentialProviders, hairpinMode } = config;
  const { objects, puller, cgroups, killer, networkError } = tools;
  const providers = credentialProviders && createCredentialProviders({ ...host, ...credentialProviders });
  return createPodStarter({
    cri,
    clock,
    hookFallbacks,
    puller,
    killer,
    networkError,
    cgroups,
    runtimeHandlers: createRuntimeHandlers(api?.client, api?.runtimeClasses),
    parallelStarts: Math.max(minParallelStarts, machine.cpus),
    paths,
    afterSandbox: hairpinMode && ((sandbox) => setSandboxHairpin(hairpinMode, sandbox, { cri, logger })),
    placement: (...container) => host.resources.placement(...container),
    prepareDevices: (...start) => host.resources.prepareStart(...start),
    objects: objects.of,
    services: () => api?.services.lister.list() ?? [],
    security: { seccompDefault: settings.seccompDefault, seccompDir: paths.seccomp },
    dns: createDnsSettings(settings),
    resources: resourcePolicyOf(host, tools.containerManager),
    credentials: async (pod, image) => [
      ...(await pullCredentials(pod, image, objects.of(pod.metadata.uid ?? ""))),
      ...((await providers?.credentialsFor(image)) ?? []),
    ],
  });
}

/** How the requests and limits of containers become settings of control groups. */
function resourcePolicyOf(
  { config: { settings, featureEnabled }, machine }: AgentHost,
  { cgroupVersion, allocatableMemoryBytes }: ContainerManager,
): ContainerResourcePolicy {
  const { memoryThrottlingFactor } = settings;
  const { swapBehavior } = settings.memorySwap;
  return {
    cpu: { quota: settings.cpuCFSQuota, periodMs: settings.cpuCFSQuotaPeriod },
    memoryBytes: machine.memoryBytes,
    allocatableMemoryBytes,
    hugePageSizes: [...machine.hugePages.keys()],
    swapBehavior: featureEnabled("NodeSwap") ? swapBehavior : undefined,
    memoryThrottlingFactor: featureEnabled("MemoryQoS") && cgroupVersion === 2 ? memoryThrottlingFactor : undefined,
  };
}
