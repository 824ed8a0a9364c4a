import { controllerOf, keyOf, labelSelectorAsSelector } from "@orchernetes/apimachinery";
import { flagSection } from "@orchernetes/component";
import {
  AwaitedGenerations,
  controllerIndex,
  follow,
  followDependents,
  inOrder,
  ownerIndexers,
} from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { deployments as deploymentsRef, pods as podsRef, replicaSets as setsRef } from "../../shared/refs.ts";
import { deploymentActions } from "./actions.ts";
import { type DeploymentAction, type DeploymentState, reconcile } from "./reconcile.ts";
import type { Deployment } from "./rollout.ts";

const selectorOf = ({ spec }: Deployment) => labelSelectorAsSelector(spec.selector);

/**
 * Rolls out the current template of each Deployment through ReplicaSets. A Deployment is synced when it or one of its
 * ReplicaSets changes; each sync takes one step. After several failures it is dropped from the queue until the next
 * change.
 */
export const deploymentController = defineController({
  name: "deployment",
  serviceAccount: "deployment-controller",
  flags: flagSection("Deployment controller", {
    "concurrent-deployment-syncs": {
      field: "DeploymentController.ConcurrentDeploymentSyncs",
      type: "int",
      default: 5,
      min: 1,
      help: "Number of deployments that are synced concurrently; a higher number means faster responses, but more CPU and network load.",
    },
  }),
  settings: ({ document }) => ({ workers: document.DeploymentController.ConcurrentDeploymentSyncs }),
  build(shell, settings) {
    const queue = shell.queue("deployment");
    const expectations = shell.expectations();
    const awaited = new AwaitedGenerations(shell.context.clock);
    const deployments = shell.informer(deploymentsRef);
    const sets = shell.informer(setsRef, ownerIndexers);
    const pods = shell.informer(podsRef, ownerIndexers);
    follow(deployments, queue, { deletions: true, expectations });
    deployments.addHandler({ onDelete: (deployment) => awaited.delete(keyOf(deployment)) });
    followDependents({
      owners: deployments,
      dependents: sets,
      selectorOf,
      enqueue: (deployment) => queue.add(keyOf(deployment)),
      expectations,
    });
    // With strategy Recreate, the rollout waits for the end of the last old pod.
    pods.addHandler({
      onDelete(pod) {
        const ofSet = controllerOf(pod);
        if (ofSet?.kind !== "ReplicaSet") return;
        const { namespace = "" } = pod.metadata;
        const set = sets.lister.get(namespace, ofSet.name);
        const of = set && controllerOf(set);
        const deployment = of?.kind === "Deployment" ? deployments.lister.get(namespace, of.name) : undefined;
        const isOwner = deployment?.metadata.uid === of?.uid;
        if (isOwner && deployment?.spec.strategy.type === "Recreate") queue.add(keyOf(deployment));
      },
    });
    shell.ownerLoop({
      queue,
      workers: settings.workers,
      maxRetries: 15,
      owners: deployments,
      selectorOf,
      // An empty selector would match all ReplicaSets of the namespace.
      dependents: { sets: { informer: sets, isCandidate: (deployment) => !selectorOf(deployment).empty } },
      expectations,
      gather: ({ owner: deployment, owned, key, settled }): DeploymentState => ({
        deployment,
        replicaSets: owned.sets,
        podsOf: (set) => pods.lister.byIndex(controllerIndex, set.metadata.uid),
        settled: settled && awaited.areSeen(key, sets.lister),
      }),
      reconcile,
      carryOut: inOrder<DeploymentAction, DeploymentState>(deploymentActions(shell.context, expectations, awaited)),
    });
  },
});
