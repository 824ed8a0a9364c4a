import { defineController } from "../../shared/define-controller.ts";
import { replicaSets } from "../../shared/refs.ts";
import { buildReplicaSets } from "./controller.ts";

/** Keeps as many pods of each ReplicaSet as its spec says. */
export const replicaSetController = defineController({
  name: "replicaset",
  serviceAccount: "replicaset-controller",
  build: (shell) =>
    buildReplicaSets(shell, { ref: replicaSets, read: (set) => set }, shell.context.config.concurrentReplicaSetSyncs),
});
