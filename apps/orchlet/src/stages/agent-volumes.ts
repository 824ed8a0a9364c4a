import type { storage } from "@orchernetes/api";
import { devicePluginHandler, devicePluginType } from "../container-manager/device-manager/device-plugin-handler.ts";
import { createAttachments } from "../csi/attachments.ts";
import { type CsiDrivers, createCsiDrivers } from "../csi/csi-drivers.ts";
import { CsiMounter } from "../csi/csi-mounter.ts";
import { createCsiNodeWriter } from "../csi/csi-node.ts";
import { createFetchingSource } from "../objects/fetching-source.ts";
import type { ObjectSource } from "../objects/object-source.ts";
import { createWatchingSource } from "../objects/watching-source.ts";
import { runPluginRegistry } from "../plugin-registry/plugin-registry.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import type { AgentNode } from "./agent-node.ts";

/** The CSI drivers of this node, and what mounts their volumes. */
export interface AgentCsi {
  readonly mounter: CsiMounter;
  readonly drivers: CsiDrivers;
  /** Restores the volumes of earlier runs, and follows the registrations of drivers until the agent stops. */
  run(): readonly Promise<unknown>[];
}

/** Limit of the wait for the list of CSIDrivers, in milliseconds: a pod waits for it. */
const driversMs = 10_000;

/** Creates the parts that mount CSI volumes. No driver is called before {@link AgentCsi.run}. */
export function createAgentCsi(host: AgentHost, api: AgentApi, node: AgentNode): AgentCsi {
  const { config, clock, logger, signal, paths, machine, resources } = host;
  const { nodeName, settings } = config;
  const { client, csiDrivers } = api;
  const inUse = node.volumesInUse;
  const drivers = createCsiDrivers({
    node: createCsiNodeWriter({
      client,
      nodeName,
      registered: node.controller?.registered ?? Promise.resolve(),
    }),
    logger,
  });
  const attachments = createAttachments({
    ...{ client, nodeName, clock, inUse },
    shown: () => ({
      volumesInUse: node.controller?.node?.status.volumesInUse ?? [],
      volumesAttached: (node.ownNode.current().status?.volumesAttached ?? []).map(({ name }) => name),
    }),
  });
  const mounter = new CsiMounter({
    ...{ paths, nodeName, drivers, inUse, logger, bootId: machine.bootID },
    attachments: settings.enableControllerAttachDetach ? attachments : undefined,
    async driverSpec(driver, within): Promise<storage.CSIDriverSpec | undefined> {
      if (!csiDrivers.hasSynced())
        await csiDrivers.waitForSync(AbortSignal.any([within, AbortSignal.timeout(driversMs)]));
      return csiDrivers.lister.get("", driver)?.spec;
    },
  });
  const registry = {
    ...{ folder: paths.pluginRegistry, clock, logger },
    handlers: new Map([
      ["CSIPlugin", drivers.handler],
      [devicePluginType, devicePluginHandler(resources.devices)],
    ]),
  };
  return {
    mounter,
    drivers,
    run: () => [
      inUse
        .restore(paths)
        .catch((error: unknown) => logger.error(error, "Unable to restore the volumes of an earlier agent")),
      runPluginRegistry(registry, signal).finally(() => drivers.close()),
    ],
  };
}

/** The annotation of a Node with how long objects may be reused, in seconds; by the size of the cluster. */
const ttlAnnotation = "node.alpha.orchernetes.io/ttl";
const defaultTtlSeconds = 60;

/** The source of config maps and secrets, by `configMapAndSecretChangeDetectionStrategy`. */
export function createObjectSource(
  { config, clock, logger, signal }: AgentHost,
  api: AgentApi,
  node: AgentNode,
): ObjectSource {
  const { client } = api;
  switch (config.settings.configMapAndSecretChangeDetectionStrategy) {
    case "Watch":
      return createWatchingSource(client, logger, signal);
    case "Get":
      return createFetchingSource(client, clock, () => 0);
    case "Cache":
      return createFetchingSource(client, clock, () => {
        const text = node.ownNode.current().metadata.annotations?.[ttlAnnotation];
        const seconds = text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : defaultTtlSeconds;
        return seconds * 1000;
      });
  }
}
