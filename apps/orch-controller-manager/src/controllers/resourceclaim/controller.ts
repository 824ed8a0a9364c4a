import type { core } from "@orchernetes/api";
import type { ResourceClaim } from "@orchernetes/api/resource/v1alpha2";
import { isNotFound, keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Client, type Lister, referenceTo } from "@orchernetes/client";
import { follow, inOrder } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { defineController, type ManagerShell } from "../../shared/define-controller.ts";
import {
  resourceClaims as claimsRef,
  pods as podsRef,
  resourceClaimTemplates as templatesRef,
} from "../../shared/refs.ts";
import { type ClaimAction, type ClaimState, isDone, isPodConsumer, reconcileClaim } from "./reconcile-claim.ts";
import { claimNameOf, type PodAction, type PodState, reconcilePod, templatesOf } from "./reconcile-pod.ts";

type Pod = Stored<core.Pod>;

const workers = 10;
/** Indexes of pods by the keys of their claims, and of the templates of their claims. */
const claimIndex = "resourceClaim";
const templateIndex = "resourceClaimTemplate";

const claimKeysOf = (pod: Pod): readonly string[] =>
  (pod.spec.resourceClaims ?? []).map((entry) => `${pod.metadata.namespace}/${claimNameOf(pod, entry)}`);

/** Makes the claims of pods from templates, and takes pods that have ended from the users of claims (KEP-3063). */
export const resourceClaimController = defineController<{ readonly isEnabled: boolean }>({
  name: "resource-claim-controller",
  serviceAccount: "resource-claim-controller",
  eventSource: "resource_claim",
  gates: ["DynamicResourceAllocation"],
  settings: ({ gates }) => ({ isEnabled: gates.enabled("DynamicResourceAllocation") }),
  build(shell, { isEnabled }) {
    if (!isEnabled) return;
    const podQueue = makeClaims(shell);
    const claimQueue = shell.queue("resource_claim");
    const claims = shell.informer(claimsRef);
    const pods = shell.informer(podsRef);
    follow(claims, claimQueue);
    const enqueueClaims = (pod: Pod): void => {
      for (const key of claimKeysOf(pod)) claimQueue.add(key);
    };
    const enqueue = (pod: Pod): void => {
      if (isDone(pod)) enqueueClaims(pod);
      if (pod.metadata.deletionTimestamp === undefined && templatesOf(pod).length > 0) podQueue.add(keyOf(pod));
    };
    pods.addHandler({ onAdd: enqueue, onUpdate: (_, pod) => enqueue(pod), onDelete: enqueueClaims });
    const { client } = shell.context;
    shell.loop({
      queue: claimQueue,
      workers,
      async gather(key): Promise<ClaimState | undefined> {
        const claim = claims.lister.byKey(key);
        return claim && { claim, pods: await usersOf(claim, pods.lister, client) };
      },
      reconcile: reconcileClaim,
      carryOut: inOrder<ClaimAction, ClaimState>({
        UpdateStatus: async ({ claim }) => void (await client.resource(claimsRef).updateStatus(claim)),
      }),
    });
  },
});

/** The pods among the users of a claim. The server is asked about a pod that is not in the cache, which may lag. */
async function usersOf(
  { metadata, status }: Stored<ResourceClaim>,
  known: Lister<core.Pod>,
  client: Client,
): Promise<ReadonlyMap<string, core.Pod>> {
  const { namespace = "" } = metadata;
  const found = new Map<string, core.Pod>();
  for (const { name, uid } of (status?.reservedFor ?? []).filter(isPodConsumer)) {
    const cached = known.get(namespace, name);
    const pod = cached?.metadata.uid === uid ? cached : await currentPod(client, namespace, name);
    if (pod?.metadata.uid === uid) found.set(uid, pod);
  }
  return found;
}

async function currentPod(client: Client, namespace: string, name: string): Promise<Pod | undefined> {
  try {
    return await client.resource(podsRef).namespace(namespace).get(name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Declares the loop that makes the claims of pods. @returns its queue of pods */
function makeClaims(shell: ManagerShell) {
  const { client, recorder, metrics } = shell.context;
  const attempts = metrics.counter({
    name: "resourceclaim_controller_create_attempts_total",
    help: "Number of claims that were to be created from templates.",
  });
  const failures = metrics.counter({
    name: "resourceclaim_controller_create_failures_total",
    help: "Number of claims that could not be created from templates.",
  });
  const queue = shell.queue("resource_claim_pods");
  const pods = shell.informer(podsRef, {
    [claimIndex]: claimKeysOf,
    [templateIndex]: (pod) => templatesOf(pod).map((name) => `${pod.metadata.namespace}/${name}`),
  });
  const claims = shell.informer(claimsRef);
  const templates = shell.informer(templatesRef);
  const wake = (index: string, key: string): void => {
    for (const pod of pods.lister.byIndex(index, key)) if (templatesOf(pod).length > 0) queue.add(keyOf(pod));
  };
  // A claim that is deleted while its pod exists is made again.
  claims.addHandler({ onDelete: (claim) => wake(claimIndex, keyOf(claim)) });
  templates.addHandler({ onAdd: (template) => wake(templateIndex, keyOf(template)) });
  const report = (pod: Pod, message: string): void =>
    recorder.event(referenceTo(podsRef, pod), "Warning", "FailedResourceClaimCreation", message);
  shell.loop({
    queue,
    workers,
    gather(key): PodState | undefined {
      const pod = pods.lister.byKey(key);
      const namespace = pod?.metadata.namespace ?? "";
      return (
        pod && {
          pod,
          claimOf: (name) => claims.lister.get(namespace, name),
          templateOf: (name) => templates.lister.get(namespace, name),
        }
      );
    },
    reconcile: reconcilePod,
    carryOut: inOrder<PodAction, PodState>({
      async CreateClaim({ of, claim }, { pod }) {
        attempts.inc();
        try {
          await client.resource(claimsRef).create(claim);
        } catch (error) {
          failures.inc();
          report(pod, `PodResourceClaim ${of}: create ResourceClaim ${claim.metadata.name}: ${messageOf(error)}`);
          throw error;
        }
      },
      Refuse({ message }, { pod }) {
        report(pod, message);
        throw new Error(message);
      },
    }),
  });
  return queue;
}
