import { systemClock } from "@orchernetes/kernel";
import { identityOf } from "../bootstrap/identity-lease.ts";
import { serverIdentity } from "../config.ts";
import { StorageVersionPublisher } from "../storage-versions/storage-version-publisher.ts";
import { storedResources } from "../storage-versions/stored-resource.ts";
import type { ServerProcess } from "./process.ts";
import type { ResourcesStage } from "./resources-stage.ts";

/**
 * Creates what publishes the storage versions of the built-in resources; undefined unless the feature gates StorageVersionAPI and
 * APIServerIdentity are enabled.
 */
export function createStorageVersions(
  { config: { featureEnabled } }: Pick<ServerProcess, "config">,
  { builtIn }: Pick<ResourcesStage, "builtIn">,
): StorageVersionPublisher | undefined {
  if (!featureEnabled("StorageVersionAPI") || !featureEnabled("APIServerIdentity")) return undefined;
  return new StorageVersionPublisher({
    serverId: identityOf(serverIdentity()),
    resources: storedResources(builtIn),
    clock: systemClock,
  });
}
