import { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { follow, inOrder, type Plan } from "@orchernetes/controller";
import { defineController } from "../../../../apps/orch-controller-manager/src/shared/define-controller.ts";

const LABEL = "example.com/size";

type LabelNode = { readonly type: "LabelNode"; readonly size: string };

/** Large nodes are those with eight CPUs or more. */
export function reconcile({ metadata, status }: core.Node): Plan<LabelNode> {
  const size = Number(status?.capacity?.cpu ?? 0) >= 8 ? "large" : "small";
  return { actions: metadata.labels?.[LABEL] === size ? [] : [{ type: "LabelNode", size }] };
}

/** Labels nodes with their size. */
export const labelNodesController = defineController({
  name: "label-nodes",
  serviceAccount: "label-nodes-controller",
  build(shell) {
    const nodes = shell.informer(core.nodes);
    const queue = shell.queue("label_nodes");
    follow(nodes, queue);
    shell.loop({
      queue,
      workers: 1,
      gather: (key) => nodes.lister.byKey(key),
      reconcile,
      carryOut: inOrder<LabelNode, Stored<core.Node>>({
        async LabelNode({ size }, { metadata }) {
          const patch = { metadata: { labels: { [LABEL]: size } } };
          await shell.context.client.resource(core.nodes).patch(metadata.name, patch);
          return undefined;
        },
      }),
    });
  },
});
