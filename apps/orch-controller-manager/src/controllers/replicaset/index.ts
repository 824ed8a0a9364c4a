import { flagSection } from "@orchernetes/component";
import { defineController } from "../../shared/define-controller.ts";
import { replicaSets } from "../../shared/refs.ts";
import { buildReplicaSets } from "./controller.ts";

/** Maintains the number of pods of each ReplicaSet. */
export const replicaSetController = defineController({
  name: "replicaset",
  serviceAccount: "replicaset-controller",
  flags: flagSection("ReplicaSet controller", {
    "concurrent-replicaset-syncs": {
      field: "ReplicaSetController.ConcurrentRSSyncs",
      type: "int",
      default: 5,
      min: 1,
      help: "Number of ReplicaSets that are synced concurrently.",
    },
  }),
  settings: ({ document }) => ({ workers: document.ReplicaSetController.ConcurrentRSSyncs }),
  build: (shell, { workers }) => buildReplicaSets(shell, { ref: replicaSets, read: (set) => set }, workers),
});
