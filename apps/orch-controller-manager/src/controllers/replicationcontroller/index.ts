import type { apps, core } from "@orchernetes/api";
import type { LabelSelector } from "@orchernetes/apimachinery";
import type { ResourceRef } from "@orchernetes/client";
import { flagSection } from "@orchernetes/component";
import { defineController } from "../../shared/define-controller.ts";
import { replicationControllers } from "../../shared/refs.ts";
import { buildReplicaSets } from "../replicaset/controller.ts";
import type { ReplicaSetLike } from "../replicaset/replica-set-like.ts";

type Selector = Readonly<Record<string, string>>;

const selectors = new WeakMap<object, LabelSelector>();

/** Selectors are compiled once per object, so the same labels must give the same selector. */
function selectorOf(labels: Selector): LabelSelector {
  let found = selectors.get(labels);
  if (found === undefined) {
    found = { matchLabels: labels };
    selectors.set(labels, found);
  }
  return found;
}

/**
 * A ReplicationController as a ReplicaSet. The two differ in the form of the selector alone, and in that a
 * ReplicationController's template was optional once.
 */
function asReplicaSet(controller: ReplicaSetLike): ReplicaSetLike {
  const labels = (controller.spec.selector ?? {}) as Selector;
  return { ...controller, spec: { ...controller.spec, selector: selectorOf(labels) } };
}

/** Keeps as many pods of each ReplicationController as its spec says. */
export const replicationControllerController = defineController({
  name: "replicationcontroller",
  serviceAccount: "replication-controller",
  flags: flagSection("ReplicationController", {
    "concurrent-rc-syncs": {
      field: "ReplicationController.ConcurrentRCSyncs",
      type: "int",
      default: 5,
      min: 1,
      help: "Number of ReplicationControllers that are synced concurrently.",
    },
  }),
  settings: ({ document }) => ({ workers: document.ReplicationController.ConcurrentRCSyncs }),
  build: (shell, { workers }) =>
    buildReplicaSets(
      shell,
      {
        // The objects are what the name says; `read` gives them the shape that the code expects.
        ref: replicationControllers as ResourceRef<core.ReplicationController> as unknown as ResourceRef<apps.ReplicaSet>,
        read: asReplicaSet,
      },
      workers,
    ),
});
