import type { FlowController } from "@orchernetes/apiserver";
import { systemClock } from "@orchernetes/kernel";
import { bootstrapController } from "../bootstrap/bootstrap-controller.ts";
import { authenticationInfo, clusterAuthenticationInfo } from "../bootstrap/cluster-authentication-info.ts";
import { customResourceHooks } from "../bootstrap/custom-resources.ts";
import { flowControlHooks } from "../bootstrap/flow-control-hooks.ts";
import { identityLeaseHooks, identityOf } from "../bootstrap/identity-lease.ts";
import { keepEnsured } from "../bootstrap/keep-ensured.ts";
import { legacyTokenTracking } from "../bootstrap/legacy-token-tracking.ts";
import { bootstrapRoles } from "../bootstrap/rbac/reconcile.ts";
import { storageVersionHook } from "../bootstrap/storage-version-hook.ts";
import { systemNamespaces, systemPriorityClasses } from "../bootstrap/system-objects.ts";
import { serverIdentity } from "../config.ts";
import type { EndpointReconciler } from "../endpoints/endpoint-reconciler.ts";
import type { PostStartHook } from "../post-start/hooks.ts";
import { postStartHooks, type StartedHooks } from "../post-start/hooks.ts";
import type { StorageVersionPublisher } from "../storage-versions/storage-version-publisher.ts";
import type { ConnectionsStage } from "./connections-stage.ts";
import type { IdentityStage } from "./identity-stage.ts";
import type { PolicyStage } from "./policy-stage.ts";
import type { ServerProcess } from "./process.ts";

/** The parts that the work after the start needs. */
export interface BootstrapParts {
  readonly policy: Pick<PolicyStage, "authorization" | "expressions" | "followForAdmission" | "repairs">;
  readonly identity: Pick<IdentityStage, "credentials">;
  readonly connections: Pick<ConnectionsStage, "aggregation" | "conversion">;
  readonly flowControl: FlowController | undefined;
  /** Undefined (`--endpoint-reconciler-type=none`): this server does not maintain the endpoints of service `default/orchernetes`. */
  readonly endpoints: EndpointReconciler | undefined;
  /** Undefined: the versions in which resources are stored are not published. */
  readonly storageVersions: StorageVersionPublisher | undefined;
}

/** Watches the objects that authorization and admission depend on; its check passes once all are synced. */
function startFollowing({ authorization, followForAdmission }: BootstrapParts["policy"]): PostStartHook {
  return {
    name: "start-orch-apiserver-admission-initializer",
    async run({ registry, signal }) {
      await Promise.all([authorization.follow(registry, signal), followForAdmission(registry, signal)]);
    },
  };
}

/**
 * Hooks of upstream that have nothing to do here: when hooks run, the caches contain the state of the store and objects are counted. Their
 * health checks exist, because monitoring may name them.
 */
const startedBefore: readonly PostStartHook[] = [
  "generic-apiserver-start-informers",
  "storage-object-count-tracker-hook",
].map((name) => ({ name, run: () => Promise.resolve() }));

/** Creates the hooks that run once the server accepts requests, each with a health check `poststarthook/NAME`. */
export function createBootstrap(
  { config, flags, logger, stopping }: ServerProcess,
  { policy, identity, connections, flowControl, endpoints, storageVersions }: BootstrapParts,
): StartedHooks {
  const [serviceRange] = config.serviceRanges;
  const port = flags["secure-port"];
  const nodePort = flags["orchernetes-service-node-port"];
  const hooks: readonly PostStartHook[] = [
    ...startedBefore,
    startFollowing(policy),
    keepEnsured(systemNamespaces, systemClock),
    bootstrapController({
      service: serviceRange && { serviceRange, port, nodePort },
      endpoints,
      repairs: policy.repairs,
      clock: systemClock,
      logger,
      stopping,
    }),
    bootstrapRoles(config.featureEnabled),
    systemPriorityClasses,
    ...customResourceHooks({
      servers: flags["apiserver-count"],
      clock: systemClock,
      logger,
      webhooks: connections.conversion,
      rules: { ...policy.expressions, enabled: config.featureEnabled("CustomResourceValidationExpressions") },
    }),
    ...connections.aggregation.hooks,
    ...(config.featureEnabled("APIServerIdentity")
      ? identityLeaseHooks({ hostname: serverIdentity(), clock: systemClock })
      : []),
    ...(storageVersions === undefined
      ? []
      : [
          storageVersionHook({
            publisher: storageVersions,
            serverId: identityOf(serverIdentity()),
            clock: systemClock,
          }),
        ]),
    legacyTokenTracking({
      enabled: config.featureEnabled("LegacyServiceAccountTokenTracking"),
      clock: systemClock,
    }),
    ...flowControlHooks(flowControl),
    keepEnsured(
      clusterAuthenticationInfo(() => authenticationInfo(flags, identity.credentials)),
      systemClock,
    ),
  ];
  return postStartHooks(hooks, logger);
}
