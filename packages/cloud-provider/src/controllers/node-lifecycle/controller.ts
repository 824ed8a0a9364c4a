import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import { type ControllerDescriptor, describeController } from "@orchernetes/controller";
import { assertNever } from "@orchernetes/kernel";
import type { CloudNode, Instances } from "../../provider/cloud-provider.ts";
import { nodesRef } from "../../refs.ts";
import { type CallContexts, type CloudContext, type CloudDocument, callContexts } from "../cloud-context.ts";
import { inParallel } from "../in-parallel.ts";
import { SHUTDOWN_TAINT } from "../node/cloud-taints.ts";
import { decideNode } from "./decide-node.ts";

/** Settings of the cloud node lifecycle controller. */
interface CloudNodeLifecycleSettings {
  readonly monitorPeriodMs: number;
  readonly clusterName: string;
}

/** Nodes that the cloud is asked about at the same time: one that answers slowly must not delay the others for long. */
const workers = 10;

/**
 * Deletes nodes whose machine does not exist any more, and taints those whose machine is shut down. Only nodes that are not ready are
 * looked at.
 *
 * Source: "Cloud Controller Manager" of the documentation.
 */
export const cloudNodeLifecycleController: ControllerDescriptor<CloudContext, CloudDocument> = describeController<
  CloudNodeLifecycleSettings,
  CloudContext,
  CloudDocument
>({
  name: "cloud-node-lifecycle",
  serviceAccount: "node-controller",
  eventSource: "cloud-node-lifecycle-controller",
  settings: ({ document: { OrchCloudShared } }) => ({
    monitorPeriodMs: OrchCloudShared.NodeMonitorPeriod,
    clusterName: OrchCloudShared.ClusterName,
  }),
  build(shell, { monitorPeriodMs, clusterName }) {
    const { context } = shell;
    const { cloud, logger } = context;
    const instances = cloud?.instances;
    if (instances === undefined) {
      const reason = cloud === undefined ? "no cloud provider provided" : "cloud provider does not support instances";
      logger.warn(`failed to start cloud node lifecycle controller: ${reason}`);
      return;
    }
    const nodes = shell.informer(nodesRef);
    const keeper = new NodeKeeper(context, instances, callContexts({ ...context, clusterName }));
    const checkAll = () => inParallel(nodes.lister.list(""), workers, (node) => keeper.check(node));
    shell.every(monitorPeriodMs, checkAll, { atOnce: true });
  },
});

/** Carries out what is decided about nodes. */
class NodeKeeper {
  readonly #context: CloudContext;
  readonly #instances: Instances;
  readonly #calls: CallContexts;

  constructor(context: CloudContext, instances: Instances, calls: CallContexts) {
    this.#context = context;
    this.#instances = instances;
    this.#calls = calls;
  }

  /** Decides about a node and carries it out. Logs errors: the next check tries again. */
  async check(node: CloudNode): Promise<void> {
    const { logger, signal } = this.#context;
    if (signal.aborted) return;
    try {
      await this.#carryOut(node);
    } catch (error) {
      // Others write the node at the same time, or it is gone.
      if (isNotFound(error) || isConflict(error)) return;
      if (!signal.aborted)
        logger.error(error, "Checking a node with the cloud provider failed", { node: node.metadata.name });
    }
  }

  async #carryOut(node: CloudNode): Promise<void> {
    const decision = await decideNode(node, this.#instances, this.#calls.reading);
    switch (decision.type) {
      case "keep":
        return;
      case "taint":
        return this.#setTaints(node, [...this.#others(node), { key: SHUTDOWN_TAINT, effect: "NoSchedule" }]);
      case "untaint":
        return this.#setTaints(node, this.#others(node));
      case "delete":
        return this.#delete(node);
      default:
        return assertNever(decision);
    }
  }

  #others({ spec }: CloudNode): readonly object[] {
    return (spec?.taints ?? []).filter(({ key }) => key !== SHUTDOWN_TAINT);
  }

  async #setTaints({ metadata }: CloudNode, taints: readonly object[]): Promise<void> {
    const { name, uid, resourceVersion } = metadata;
    // The resource version prevents overwriting concurrent changes of the list.
    await this.#context.client.resource(nodesRef).patch(name, { metadata: { uid, resourceVersion }, spec: { taints } });
  }

  async #delete({ metadata: { name, uid } }: CloudNode): Promise<void> {
    const { client, recorder, logger } = this.#context;
    logger.info("Deleting a node that does not exist in the cloud", { node: name });
    const message = `Deleting node ${name} because it does not exist in the cloud provider`;
    recorder.event({ kind: "Node", name, uid }, "Normal", "DeletingNode", message);
    await client.resource(nodesRef).delete(name, { preconditions: { uid } });
  }
}
