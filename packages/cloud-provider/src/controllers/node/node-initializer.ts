import type { core } from "@orchernetes/api";
import { isConflict } from "@orchernetes/apimachinery";
import { type Client, type EventRecorder, type Lister, referenceTo } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";
import type { CloudNode, CloudProvider, InstanceMetadata } from "../../provider/cloud-provider.ts";
import { valueOrThrow } from "../../provider/cloud-result.ts";
import { nodesRef } from "../../refs.ts";
import type { CallContexts } from "../cloud-context.ts";
import { cloudMetadata } from "./cloud-metadata.ts";
import { hasTaint, UNINITIALIZED_TAINT } from "./cloud-taints.ts";
import { initializedNode, labelFixes } from "./initialize-node.ts";
import { nodeAddresses, preferProvidedIps, sameAddresses } from "./node-addresses.ts";

/** What a {@link NodeInitializer} works with. */
export interface NodeInitializerOptions {
  readonly cloud: Pick<CloudProvider, "instances" | "zones">;
  readonly client: Client;
  readonly nodes: Lister<core.Node>;
  readonly calls: CallContexts;
  readonly recorder: EventRecorder;
  readonly logger: Logger;
  /** Gate CloudDualStackNodeIPs. */
  readonly dualStack: boolean;
}

/** Attempts to write a node that others write at the same time. */
const maxTries = 20;

/** Gives nodes what the cloud knows about their machines. */
export class NodeInitializer {
  readonly #options: NodeInitializerOptions;

  constructor(options: NodeInitializerOptions) {
    this.#options = options;
  }

  /** Initializes a node that has the taint: provider ID, labels, addresses; then the taint goes. @throws CloudCallError, ApiError, Error */
  async initialize(node: CloudNode): Promise<void> {
    const { recorder, logger, dualStack } = this.#options;
    const { name } = node.metadata;
    logger.info("Initializing a node with the cloud provider", { node: name });
    const metadata = valueOrThrow(`failed to get instance metadata for node ${name}`, await this.#metadataOf(node));
    if (metadata === undefined) {
      logger.info("Skipping a node because the cloud has no metadata", { node: name });
      return;
    }
    // Checked before the taint goes: pods must not come to a node that gets wrong addresses.
    const usable = preferProvidedIps(node, metadata.addresses, dualStack);
    if ("error" in usable) {
      throw new Error(
        `failed to get node modifiers from cloud provider: provided node ip for node "${name}" is not valid: ${usable.error}`,
      );
    }
    const written = await this.#write(node, metadata);
    if (written === undefined) return;
    await this.#writeAddresses(written, metadata);
    recorder.event(referenceTo(nodesRef, node), "Normal", "Synced", "Node synced successfully");
    logger.info("Initialized a node with the cloud provider", { node: name });
  }

  /** Gives an initialized node the addresses that the cloud has now, and repairs its labels. Logs errors. */
  async refresh(node: CloudNode): Promise<void> {
    if (hasTaint(node, UNINITIALIZED_TAINT)) return;
    const { logger } = this.#options;
    const { name } = node.metadata;
    const found = await this.#metadataOf(node);
    if (!found.ok) {
      logger.warn("Error getting instance metadata for node addresses", { node: name, err: found.error.message });
      return;
    }
    if (found.value !== undefined) await this.#writeAddresses(node, found.value);
    await this.#repairLabels(node);
  }

  #metadataOf(node: CloudNode): ReturnType<typeof cloudMetadata> {
    const { cloud, calls } = this.#options;
    return cloudMetadata(cloud, node, calls.reading);
  }

  /** Undefined if the node was deleted, replaced or initialized meanwhile. */
  async #write(node: CloudNode, metadata: InstanceMetadata): Promise<CloudNode | undefined> {
    const resource = this.#options.client.resource(nodesRef);
    let latest = node;
    for (let tries = 1; ; tries++) {
      try {
        return await resource.update(initializedNode(latest, metadata));
      } catch (error) {
        if (!isConflict(error) || tries >= maxTries) throw error;
        latest = await resource.get(node.metadata.name);
        if (latest.metadata.uid !== node.metadata.uid || !hasTaint(latest, UNINITIALIZED_TAINT)) return undefined;
      }
    }
  }

  async #writeAddresses(node: CloudNode, metadata: InstanceMetadata): Promise<void> {
    const { client, logger, dualStack } = this.#options;
    const { name, uid } = node.metadata;
    const wanted = nodeAddresses(node, metadata.addresses, dualStack);
    if (wanted === undefined) return;
    if ("error" in wanted) {
      logger.warn("Failed to update node addresses", { node: name, err: wanted.error });
      return;
    }
    if (sameAddresses(node.status?.addresses, wanted.addresses)) return;
    try {
      // A JSON merge patch replaces the list: its items have no unique key.
      const patch = { metadata: { uid }, status: { addresses: wanted.addresses } };
      await client.resource(nodesRef).patch(name, patch, { subresource: "status" });
    } catch (error) {
      logger.error(error, "Error patching node with cloud ip addresses", { node: name });
    }
  }

  async #repairLabels(node: CloudNode): Promise<void> {
    const { client, logger, nodes } = this.#options;
    const { name } = node.metadata;
    const latest = nodes.get("", name);
    const labels = latest && labelFixes(latest);
    if (latest === undefined || labels === undefined) return;
    try {
      await client.resource(nodesRef).patch(name, { metadata: { uid: latest.metadata.uid, labels } });
    } catch (error) {
      logger.error(error, "Error reconciling node labels", { node: name });
    }
  }
}
