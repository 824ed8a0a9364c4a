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
 * Converts a ReplicationController to a ReplicaSet. They differ only in the form of the selector, and in that the
 * template of a ReplicationController was optional in the past.
 */
function asReplicaSet(controller: ReplicaSetLike): ReplicaSetLike {
  const labels = (controller.spec.selector ?? {}) as Selector;
  return { ...controller, spec: { ...controller.spec, selector: selectorOf(labels) } };
}

/** Maintains the number of pods of each ReplicationController. */
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
        // The informer's objects are ReplicationControllers; `read` converts them to the form that the code expects.
        ref: replicationControllers as ResourceRef<core.ReplicationController> as unknown as ResourceRef<apps.ReplicaSet>,
        read: asReplicaSet,
      },
      workers,
    ),
});
