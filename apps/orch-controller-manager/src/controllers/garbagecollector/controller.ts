import {
  type ApiObject,
  apiVersionOf,
  isConflict,
  isNotFound,
  isUnsupportedMediaType,
  type OwnerReference,
  type Stored,
} from "@orchernetes/apimachinery";
import { createInformer, type Informer, type ResourceClient } from "@orchernetes/client";
import { runWorkers, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import type { DiscoveredResource } from "../../shared/discovery.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { foregroundFinalizer, type GraphNode, type Identity, OwnerGraph, orphanFinalizer } from "./graph.ts";
import { type CollectAction, type OwnerState, reconcile } from "./reconcile.ts";

/** How often new and vanished resources are looked for. */
const discoveryMs = 30_000;
/** Too many, too short-lived, and owned by nobody. */
const ignored: ReadonlySet<string> = new Set(["/events", "events.o8s.io/events"]);

/** Deletes objects whose owners are gone. */
export const garbageCollectorController: ControllerDescriptor = {
  name: "garbagecollector",
  serviceAccount: "generic-garbage-collector",
  enabledByDefault: true,
  start: run,
};

interface Monitor {
  readonly resource: DiscoveredResource;
  readonly informer: Informer<ApiObject>;
  stop(): void;
}

const resourceKey = ({ group, plural }: DiscoveredResource): string => `${group}/${plural}`;
const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "");

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, config, discovery, informers, logger, recorder, signal } = context;
  if (!config.enableGarbageCollector) return;
  const deletions = new WorkQueue<GraphNode>({
    name: "garbage_collector_attempt_to_delete",
    clock,
    metrics: context.queueMetrics,
  });
  const orphans = new WorkQueue<GraphNode>({
    name: "garbage_collector_attempt_to_orphan",
    clock,
    metrics: context.queueMetrics,
  });
  const absentOwners = new AbsentOwners(500);
  const monitors = new Map<string, Monitor>();
  /** Resources by `group/Kind`. */
  let kinds = new Map<string, DiscoveredResource>();

  const graph = new OwnerGraph({
    attemptToDelete: (node) => deletions.add(node),
    attemptToOrphan: (node) => orphans.add(node),
    invalidOwner({ identity }, reference) {
      const { apiVersion, kind, namespace, name, uid } = identity;
      const message = `ownerRef [${reference.apiVersion}/${reference.kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${reference.uid}] does not exist in namespace "${namespace}"`;
      recorder.event({ apiVersion, kind, namespace, name, uid }, "Warning", "OwnerRefInvalidNamespace", message);
    },
  });

  const identityOf = (resource: DiscoveredResource, { metadata }: Stored<ApiObject>): Identity => ({
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    uid: metadata.uid,
  });

  const startMonitor = (resource: DiscoveredResource): Monitor => {
    const stopping = new AbortController();
    // What another controller follows already is not followed twice.
    const shared = informers.find(resource);
    const informer =
      shared ??
      createInformer<ApiObject>(client, resource, {
        metadataOnly: true,
        transform: ({ metadata }) => ({ metadata: { ...metadata, managedFields: undefined, annotations: undefined } }),
        logger,
        clock,
      });
    const removeHandler = informer.addHandler({
      onAdd: (object) => graph.observe(identityOf(resource, object), object.metadata),
      onUpdate: (_, object) => graph.observe(identityOf(resource, object), object.metadata),
      onDelete: ({ metadata }) => graph.remove(metadata.uid),
    });
    if (shared === undefined) void informer.run(AbortSignal.any([signal, stopping.signal]));
    return {
      resource,
      informer,
      stop() {
        removeHandler();
        stopping.abort();
      },
    };
  };

  /** Follows what is served now; resources of groups that cannot be read stay as they are. */
  const refresh = async (): Promise<void> => {
    const { resources, failures } = await discovery.refresh();
    kinds = new Map(resources.map((resource) => [`${resource.group}/${resource.kind}`, resource]));
    const wanted = new Map(
      resources
        .filter(({ verbs }) => verbs.has("list") && verbs.has("watch") && verbs.has("delete"))
        .map((resource) => [resourceKey(resource), resource]),
    );
    for (const [key, monitor] of monitors) {
      const { group, version, kind } = monitor.resource;
      const unreadable = [...failures.keys()].some((groupVersion) => groupOf(groupVersion) === group);
      if (wanted.get(key)?.version === version || (unreadable && !wanted.has(key))) continue;
      monitor.stop();
      monitors.delete(key);
      if (!wanted.has(key)) graph.forgetKind(apiVersionOf(monitor.resource), kind);
    }
    for (const [key, resource] of wanted) {
      if (!ignored.has(key) && !monitors.has(key)) monitors.set(key, startMonitor(resource));
    }
  };

  const clientOf = ({ apiVersion, kind, namespace }: Identity): ResourceClient<ApiObject> | undefined => {
    const resource = kinds.get(`${groupOf(apiVersion)}/${kind}`);
    if (resource === undefined) return undefined;
    const typed = client.resource<ApiObject>(resource);
    return resource.scope === "Namespaced" ? typed.namespace(namespace) : typed;
  };

  /** The object itself, not another of its name. */
  const read = async (identity: Identity): Promise<Stored<ApiObject> | undefined> => {
    const resource = clientOf(identity);
    if (resource === undefined) throw new Error(`no resource is served for ${identity.apiVersion} ${identity.kind}`);
    try {
      const object = await resource.get(identity.name);
      return object.metadata.uid === identity.uid ? object : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  const ownerStateOf = async (reference: OwnerReference, namespace: string): Promise<OwnerState> => {
    const resource = kinds.get(`${groupOf(reference.apiVersion)}/${reference.kind}`);
    if (resource === undefined) {
      throw new Error(`no resource is served for owner ${reference.apiVersion} ${reference.kind} ${reference.name}`);
    }
    // An owner of a namespaced kind is looked for beside its dependent, so a cluster-scoped object cannot have one.
    const ownerNamespace = resource.scope === "Namespaced" ? namespace : "";
    if (resource.scope === "Namespaced" && namespace === "") return "absent";
    if (absentOwners.has(reference.uid, ownerNamespace)) return "absent";
    const { apiVersion, kind, name, uid } = reference;
    const owner = await read({ apiVersion, kind, name, uid, namespace: ownerNamespace });
    if (owner === undefined) {
      absentOwners.add(uid, ownerNamespace);
      return "absent";
    }
    const { deletionTimestamp, finalizers } = owner.metadata;
    return deletionTimestamp !== undefined && finalizers?.includes(foregroundFinalizer) ? "waiting" : "exists";
  };

  /** Merge patch of the object as it is now: tried again when it changed meanwhile. */
  const edit = async (
    identity: Identity,
    change: (object: Stored<ApiObject>) => Readonly<Record<string, unknown>> | undefined,
  ): Promise<void> => {
    for (let tries = 0; ; tries++) {
      const object = await read(identity);
      const metadata = object && change(object);
      if (object === undefined || metadata === undefined) return;
      try {
        const { uid, resourceVersion } = object.metadata;
        await clientOf(identity)?.patch(identity.name, { metadata: { ...metadata, uid, resourceVersion } });
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || tries >= 5) throw error;
      }
    }
  };
  const removeFinalizer = (identity: Identity, finalizer: string): Promise<void> =>
    edit(identity, ({ metadata: { finalizers = [] } }) =>
      finalizers.includes(finalizer) ? { finalizers: finalizers.filter((name) => name !== finalizer) } : undefined,
    );
  const removeOwners = async (identity: Identity, uids: readonly string[]): Promise<void> => {
    const ownerReferences = uids.map((uid) => ({ $patch: "delete", uid }));
    const metadata = { uid: identity.uid, ownerReferences };
    try {
      await clientOf(identity)?.patch(identity.name, { metadata }, { type: "strategic" });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isUnsupportedMediaType(error) && !isConflict(error)) throw error;
      // Custom resources know no strategic patches.
      await edit(identity, ({ metadata: { ownerReferences: have = [] } }) => {
        const kept = have.filter(({ uid }) => !uids.includes(uid));
        return kept.length === have.length ? undefined : { ownerReferences: kept };
      });
    }
  };

  const act = async (action: CollectAction, { identity }: GraphNode): Promise<void> => {
    const { name, uid } = identity;
    switch (action.type) {
      case "RemoveFinalizer":
        await removeFinalizer(identity, action.finalizer);
        return;
      case "RemoveOwners":
        await removeOwners(identity, action.uids);
        return;
      case "UnblockOwners":
        await edit(identity, ({ metadata: { ownerReferences = [] } }) =>
          ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion)
            ? { ownerReferences: ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false })) }
            : undefined,
        );
        return;
      case "Delete": {
        logger.v(2)?.info("Deleting an object without owners", { ...identity, policy: action.policy });
        const deleting = clientOf(identity)?.delete(name, {
          propagationPolicy: action.policy,
          preconditions: { uid },
        });
        await deleting?.catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        return;
      }
      case "Enqueue":
        for (const node of action.nodes) deletions.add(node);
        return;
    }
  };

  const collect = async (node: GraphNode): Promise<undefined> => {
    if (graph.find(node.identity.uid) !== node) return;
    if (node.beingDeleted && !node.deletingDependents) return;
    const latest = await read(node.identity);
    if (latest === undefined) {
      // The deletion was never seen, or the owner never was.
      absentOwners.add(node.identity.uid, node.identity.namespace);
      if (node.virtual) for (const dependent of node.dependents) deletions.add(dependent);
      else graph.remove(node.identity.uid);
      return;
    }
    // It exists after all: its monitor will tell.
    if (node.virtual) return;
    const states = new Map<string, OwnerState>();
    if (!node.deletingDependents) {
      for (const reference of latest.metadata.ownerReferences ?? []) {
        states.set(reference.uid, await ownerStateOf(reference, node.identity.namespace));
      }
    }
    const plan = reconcile({ node, latest, ownerState: ({ uid }) => states.get(uid) ?? "absent" });
    for (const action of plan.actions) await act(action, node);
  };

  const orphan = async (node: GraphNode): Promise<undefined> => {
    const { uid } = node.identity;
    await Promise.all([...node.dependents].map(({ identity }) => removeOwners(identity, [uid])));
    await removeFinalizer(node.identity, orphanFinalizer);
  };

  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(discoveryMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      await refresh().catch((error: unknown) => logger.error(error, "Discovery failed"));
    }
  };

  while (!signal.aborted) {
    try {
      await refresh();
      break;
    } catch (error) {
      logger.error(error, "Discovery failed");
      await clock.sleep(1000, signal).catch(() => undefined);
    }
  }
  // Deciding from half a graph would only mean more questions to the server, never wrong deletions: each is checked there.
  await Promise.all([...monitors.values()].map(({ informer }) => informer.waitForSync(signal)));
  const workers = config.concurrentGcSyncs;
  await Promise.all([
    follow(),
    runWorkers({ name: "garbagecollector", queue: deletions, workers, sync: collect, signal, logger, clock }),
    runWorkers({ name: "garbagecollector-orphan", queue: orphans, workers, sync: orphan, signal, logger, clock }),
  ]);
}
