import type { CloudControllerManagerConfiguration } from "@orchernetes/config";
import { type ControllerDescriptor, describeController, follow, inOrder, type Plan } from "@orchernetes/controller";
import type { CloudNode } from "../../provider/cloud-provider.ts";
import { nodesRef } from "../../refs.ts";
import { type CloudContext, callContexts } from "../cloud-context.ts";
import { inParallel } from "../in-parallel.ts";
import { hasTaint, UNINITIALIZED_TAINT } from "./cloud-taints.ts";
import { NodeInitializer } from "./node-initializer.ts";

/** The sections of the configuration that the controller reads. */
type Document = Pick<
  CloudControllerManagerConfiguration,
  "NodeController" | "NodeStatusUpdateFrequency" | "OrchCloudShared"
>;

/** Settings of the cloud node controller. */
interface CloudNodeSettings {
  readonly workers: number;
  /** Interval between updates of the addresses of all nodes, in milliseconds. */
  readonly updateMs: number;
  readonly clusterName: string;
  /** Gate CloudDualStackNodeIPs. */
  readonly dualStack: boolean;
}

type Initialize = { readonly type: "Initialize" };

/** A node without the taint is initialized, and of no interest. Pure. */
function reconcile(node: CloudNode): Plan<Initialize> {
  return { actions: hasTaint(node, UNINITIALIZED_TAINT) ? [{ type: "Initialize" }] : [] };
}

/**
 * Initializes nodes whose agent runs with `--cloud-provider=external`: they have a taint that keeps pods off until their provider ID,
 * labels and addresses from the cloud have been written. Afterwards the addresses are updated periodically.
 *
 * Source: "Cloud Controller Manager" of the documentation, KEP-2392.
 */
export const cloudNodeController: ControllerDescriptor<CloudContext, Document> = describeController<
  CloudNodeSettings,
  CloudContext,
  Document
>({
  name: "cloud-node",
  serviceAccount: "node-controller",
  eventSource: "cloud-node-controller",
  gates: ["CloudDualStackNodeIPs"],
  settings: ({ document, gates }) => ({
    workers: document.NodeController.ConcurrentNodeSyncs,
    updateMs: document.NodeStatusUpdateFrequency,
    clusterName: document.OrchCloudShared.ClusterName,
    dualStack: gates.enabled("CloudDualStackNodeIPs"),
  }),
  build(shell, { workers, updateMs, clusterName, dualStack }) {
    const { context } = shell;
    const { cloud, client, logger, recorder } = context;
    if (cloud?.instances === undefined) {
      logger.warn("failed to start cloud node controller: cloud provider does not support instances");
      return;
    }
    const nodes = shell.informer(nodesRef);
    const initializer = new NodeInitializer({
      cloud,
      client,
      nodes: nodes.lister,
      calls: callContexts({ ...context, clusterName }),
      recorder,
      logger,
      dualStack,
    });
    const queue = shell.queue("Nodes");
    follow(nodes, queue);
    const refreshAll = () => inParallel(nodes.lister.list(""), workers, (node) => initializer.refresh(node));
    shell.every(updateMs, refreshAll, { atOnce: true });
    shell.loop<CloudNode, Initialize>({
      queue,
      workers,
      gather: (name) => nodes.lister.get("", name),
      reconcile,
      carryOut: inOrder<Initialize, CloudNode>({ Initialize: (_, node) => initializer.initialize(node) }),
    });
  },
});
