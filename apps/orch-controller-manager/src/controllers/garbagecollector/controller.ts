import { isNotFound } from "@orchernetes/apimachinery";
import { flagSection } from "@orchernetes/component";
import { type ActionHandlers, inOrder, type Plan } from "@orchernetes/controller";
import { defineController, type ManagerContext } from "../../shared/define-controller.ts";
import { type GraphNode, OwnerGraph, orphanFinalizer } from "./graph.ts";
import { KindAccess } from "./kind-access.ts";
import { Monitors } from "./monitors.ts";
import { type CollectAction, type CollectState, type OwnerState, reconcile } from "./reconcile.ts";

/** Period of discovery, which finds new and removed resources. */
const discoveryMs = 30_000;
/** Delay after failed discovery at the start. */
const retryMs = 1000;

/** An object that may have to be deleted, or one that is in the graph but not on the server. */
type State = ({ readonly type: "present" } & CollectState) | { readonly type: "absent"; readonly node: GraphNode };
type Action = CollectAction | { readonly type: "Forget" };
type OrphanAction = { readonly type: "ReleaseDependents" } | { readonly type: "RemoveFinalizer" };

/** The text for an object in logs. */
const describeNode = ({ identity: { apiVersion, kind, namespace, name, uid } }: GraphNode): string =>
  `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;

/**
 * Deletes objects whose owners do not exist. A graph of all objects, built from watches of their metadata, tells which
 * objects to check; each decision is then made from the server's current state. Two queues exist: one for objects that
 * may have to be deleted, and one for objects whose dependents must be orphaned.
 *
 * Source: "Garbage Collection" of the documentation.
 */
export const garbageCollectorController = defineController({
  name: "garbagecollector",
  serviceAccount: "generic-garbage-collector",
  flags: flagSection("Garbage collector", {
    "enable-garbage-collector": {
      field: "GarbageCollectorController.EnableGarbageCollector",
      type: "bool",
      default: true,
      help: "Enables the garbage collector, which deletes objects whose owners do not exist; must match the flag of the API server.",
    },
    "concurrent-gc-syncs": {
      field: "GarbageCollectorController.ConcurrentGCSyncs",
      type: "int",
      default: 20,
      min: 1,
      help: "Objects worked on at once.",
    },
  }),
  settings: ({ document: { GarbageCollectorController: section } }) => ({
    isEnabled: section.EnableGarbageCollector,
    workers: section.ConcurrentGCSyncs,
    /** `group/resource` of resources that are ignored in addition to events. */
    ignored: section.GCIgnoredResources.map(({ Group, Resource }) => `${Group}/${Resource}`),
  }),
  build(shell, settings) {
    const { client, clock, discovery, logger } = shell.context;
    if (!settings.isEnabled) return;
    const deletions = shell.queue<GraphNode>("garbage_collector_attempt_to_delete");
    const orphans = shell.queue<GraphNode>("garbage_collector_attempt_to_orphan");
    const access = new KindAccess(client);
    const graph = new OwnerGraph({
      attemptToDelete: (node) => deletions.add(node),
      attemptToOrphan: (node) => orphans.add(node),
      invalidOwner: (node, reference) => recordInvalidOwner(shell.context, node, reference),
    });
    const monitors = new Monitors(shell.context, graph, settings.ignored);
    const refresh = async (): Promise<void> => {
      const found = await discovery.refresh();
      access.setResources(found.resources);
      monitors.follow(found);
    };
    // An incomplete graph would only cause more requests, not wrong deletions: each decision is checked against the
    // server.
    shell.before(async (signal) => {
      for (let isKnown = false; !isKnown && !signal.aborted; ) {
        try {
          await refresh();
          isKnown = true;
        } catch (error) {
          logger.error(error, "Discovery failed");
          await clock.sleep(retryMs, signal).catch(() => undefined);
        }
      }
      await monitors.waitForSync(signal);
    });
    shell.every(discoveryMs, () => refresh().catch((error: unknown) => logger.error(error, "Discovery failed")));

    const { workers } = settings;
    shell.loop({
      queue: deletions,
      workers,
      describeKey: describeNode,
      async gather(node): Promise<State | undefined> {
        if (graph.find(node.identity.uid) !== node) return undefined;
        if (node.beingDeleted && !node.deletingDependents) return undefined;
        const latest = await access.read(node.identity);
        if (latest === undefined) return { type: "absent", node };
        // The owner exists: its monitor will add it to the graph.
        if (node.virtual) return undefined;
        const states = new Map<string, OwnerState>();
        const references = node.deletingDependents ? [] : (latest.metadata.ownerReferences ?? []);
        for (const reference of references) {
          states.set(reference.uid, await access.ownerState(reference, node.identity.namespace));
        }
        return { type: "present", node, latest, ownerState: ({ uid }) => states.get(uid) ?? "absent" };
      },
      reconcile: (state): Plan<Action> =>
        state.type === "absent" ? { actions: [{ type: "Forget" }] } : reconcile(state),
      carryOut: inOrder<Action, State, GraphNode>(
        collectActions(shell.context, access, graph, (node) => deletions.add(node)),
      ),
    });
    shell.loop({
      name: "garbagecollector-orphan",
      queue: orphans,
      workers,
      describeKey: describeNode,
      gather: (node) => node,
      reconcile: (): Plan<OrphanAction> => ({
        actions: [{ type: "ReleaseDependents" }, { type: "RemoveFinalizer" }],
      }),
      carryOut: inOrder<OrphanAction, GraphNode, GraphNode>({
        async ReleaseDependents(_, { dependents, identity: { uid } }) {
          await Promise.all([...dependents].map(({ identity }) => access.removeOwners(identity, [uid])));
        },
        RemoveFinalizer: (_, { identity }) => access.removeFinalizer(identity, orphanFinalizer),
      }),
    });
  },
});

/** Records an event about an owner reference to an object that cannot be the owner. */
function recordInvalidOwner(
  { recorder }: ManagerContext,
  { identity }: GraphNode,
  reference: GraphNode["owners"][number],
): void {
  const { apiVersion, kind, namespace, name, uid } = identity;
  const message = `ownerRef [${reference.apiVersion}/${reference.kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${reference.uid}] does not exist in namespace "${namespace}"`;
  recorder.event({ apiVersion, kind, namespace, name, uid }, "Warning", "OwnerRefInvalidNamespace", message);
}

/** The handlers of the actions for an object. */
function collectActions(
  { logger }: ManagerContext,
  access: KindAccess,
  graph: OwnerGraph,
  enqueue: (node: GraphNode) => void,
): ActionHandlers<Action, State, GraphNode> {
  return {
    // Either the deletion was not observed, or the owner never existed.
    Forget(_, { node }) {
      access.recordAbsent(node.identity);
      if (node.virtual) for (const dependent of node.dependents) enqueue(dependent);
      else graph.remove(node.identity.uid);
    },
    RemoveFinalizer: ({ finalizer }, { node }) => access.removeFinalizer(node.identity, finalizer),
    RemoveOwners: ({ uids }, { node }) => access.removeOwners(node.identity, uids),
    UnblockOwners: (_, { node }) =>
      access.edit(node.identity, ({ metadata: { ownerReferences = [] } }) =>
        ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion)
          ? { ownerReferences: ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false })) }
          : undefined,
      ),
    async Delete({ policy }, { node: { identity } }) {
      logger.v(2)?.info("Deleting an object without owners", { ...identity, policy });
      const { name, uid } = identity;
      const deleting = access.clientOf(identity)?.delete(name, { propagationPolicy: policy, preconditions: { uid } });
      await deleting?.catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
    Enqueue({ nodes }) {
      for (const node of nodes) enqueue(node);
    },
  };
}
