import type { FlowController } from "@orchernetes/apiserver";
import { informerSyncCheck, type Resources } from "@orchernetes/apiserver";
import { createPprofHandler, serveDebugSocket } from "@orchernetes/component";
import { flowControlPages } from "../flow-control.ts";
import { watchLog } from "../log-check.ts";
import { nonResourceRoutes } from "../non-resource-routes.ts";
import type { StartedHooks } from "../post-start/hooks.ts";
import { createProbes } from "../probes.ts";
import { openIdConfiguration } from "../service-accounts/discovery-document.ts";
import { storeReadyChecks } from "../storage/store-checks.ts";
import type { ConnectionsStage } from "./connections-stage.ts";
import type { IdentityStage } from "./identity-stage.ts";
import type { ServerProcess } from "./process.ts";
import { given } from "./process.ts";
import type { StorageStage } from "./storage-stage.ts";

/** The parts that the pages show. */
export interface PagesParts {
  readonly storage: StorageStage;
  readonly registry: Resources["registry"];
  readonly identity: Pick<IdentityStage, "keys">;
  readonly connections: Pick<ConnectionsStage, "aggregation">;
  readonly hooks: StartedHooks;
  readonly flowControl: FlowController | undefined;
  /** `HOST:PORT` at which clients reach the server. */
  readonly externalAddress: string;
}

/** Creates the pages outside the resources: health checks, metrics, debug pages, and the documents of the token issuer. */
export async function createPages(
  { config, flags, logger, metrics, stopping, ended }: ServerProcess,
  { storage, registry, identity, connections, hooks, flowControl, externalAddress }: PagesParts,
): Promise<ReturnType<typeof nonResourceRoutes>> {
  const { aggregation } = connections;
  const health = createProbes({
    metrics,
    informers: informerSyncCheck(registry),
    log: watchLog(process.stderr, ended),
    stores: storage.checks,
    storesReady: storeReadyChecks(storage.stores.all, flags["etcd-readycheck-timeout"]),
    hooks: [...hooks.checks, aggregation.completion],
    stopping,
    livezGraceMs: flags["livez-grace-period"],
    logger,
  });
  const pprof = createPprofHandler({ contention: flags["contention-profiling"] });
  const pages = flowControl === undefined ? [] : [flowControlPages(flowControl)];
  if (flags["debug-socket-path"] !== "") {
    const handlers = [pprof, ...pages];
    await serveDebugSocket({ path: flags["debug-socket-path"], handlers, logger, signal: ended });
  }
  return nonResourceRoutes({
    health,
    debug: flags.profiling ? [pprof, ...pages] : pages,
    metrics,
    slis: config.featureEnabled("ComponentSLIs"),
    definitions: () => [...registry.definitions(), ...aggregation.aggregator.groupVersions()],
    documents: openIdConfiguration({
      issuer: config.serviceAccounts.issuers[0] ?? "",
      keys: identity.keys,
      ...given("jwksUri", flags["service-account-jwks-uri"] || undefined),
      externalBase: `https://${externalAddress}`,
    }),
  });
}
