import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { replicaSets } from "../../shared/refs.ts";
import { runReplicaSets } from "./controller.ts";

/** Keeps as many pods of each ReplicaSet as its spec says. */
export const replicaSetController: ControllerDescriptor = {
  name: "replicaset",
  serviceAccount: "replicaset-controller",
  enabledByDefault: true,
  start: (context: ControllerContext) =>
    runReplicaSets(
      { ref: replicaSets, name: "replicaset", read: (set) => set },
      context.config.concurrentReplicaSetSyncs,
      context,
    ),
};
