import { inOrder } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { nodes as nodesRef } from "../../shared/refs.ts";
import { ClusterSize } from "./cluster-size.ts";
import { reconcile, type TtlAction, type TtlState, ttlAnnotation } from "./reconcile.ts";

/**
 * Tells each node by an annotation for how long it may cache the Secrets and ConfigMaps of its pods, which depends on the size
 * of the cluster. When that changes, nodes are annotated at their next updates, so that the writes are spread over time.
 */
export const ttlController = defineController({
  name: "ttl",
  serviceAccount: "ttl-controller",
  build(shell) {
    const { client } = shell.context;
    const size = new ClusterSize();
    const queue = shell.queue("ttlcontroller");
    const nodes = shell.informer(nodesRef);
    nodes.addHandler({
      onAdd({ metadata: { name } }) {
        size.added();
        queue.add(name);
      },
      onUpdate: (_, { metadata: { name } }) => queue.add(name),
      onDelete: () => size.removed(),
    });
    shell.loop({
      queue,
      workers: 5,
      gather(name): TtlState | undefined {
        const node = nodes.lister.get("", name);
        return node && { node, ttlSeconds: size.ttlSeconds };
      },
      reconcile,
      carryOut: inOrder<TtlAction, TtlState>({
        async Annotate({ ttlSeconds }, { node }) {
          const patch = { metadata: { annotations: { [ttlAnnotation]: String(ttlSeconds) } } };
          await client.resource(nodesRef).patch(node.metadata.name, patch);
        },
      }),
    });
  },
});
