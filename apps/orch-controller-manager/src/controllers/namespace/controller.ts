import type { core } from "@orchernetes/api";
import { isConflict, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { runWorkers, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { namespaces as namespacesRef } from "../../shared/refs.ts";
import { conditionsAfter } from "./conditions.ts";
import { emptyNamespace } from "./empty-namespace.ts";

/** The finalizer that this controller takes off once a namespace is empty. */
const finalizer = "orchernetes";
/** Time for every API server to learn that the namespace takes no more objects. */
const graceMs = 5_000;

/** Empties namespaces that are being deleted, then lets them go. */
export const namespaceController: ControllerDescriptor = {
  name: "namespace",
  serviceAccount: "namespace-controller",
  enabledByDefault: true,
  start: run,
};

async function run({ client, clock, config, discovery, informers, logger, queueMetrics, signal }: ControllerContext) {
  const queue = new WorkQueue({ name: "namespace", clock, metrics: queueMetrics });
  const namespaces = informers.informer(namespacesRef);
  const enqueue = ({ metadata, spec }: Stored<core.Namespace>): void => {
    if (metadata.deletionTimestamp === undefined || !spec.finalizers?.includes(finalizer)) return;
    const age = clock.now().getTime() - Date.parse(metadata.deletionTimestamp);
    queue.addAfter(metadata.name, Math.min(graceMs, Math.max(0, graceMs - age)));
  };
  namespaces.addHandler({ onAdd: enqueue, onUpdate: (_, namespace) => enqueue(namespace) });

  const writeStatus = async (namespace: Stored<core.Namespace>, status: core.NamespaceStatus) => {
    for (let current = namespace; ; ) {
      try {
        return await client.resource(namespacesRef).updateStatus({ ...current, status });
      } catch (error) {
        if (!isConflict(error)) throw error;
        current = await client.resource(namespacesRef).get(namespace.metadata.name);
        if (current.metadata.uid !== namespace.metadata.uid) throw error;
      }
    }
  };

  const finalize = async (namespace: Stored<core.Namespace>): Promise<void> => {
    const { name } = namespace.metadata;
    for (let current = namespace; ; ) {
      const finalizers = (current.spec.finalizers ?? []).filter((other) => other !== finalizer);
      try {
        const body = { ...current, kind: "Namespace", apiVersion: "v1", spec: { ...current.spec, finalizers } };
        await client.resource(namespacesRef).subresource("finalize").update(name, body);
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
        current = await client.resource(namespacesRef).get(name);
        if (current.metadata.uid !== namespace.metadata.uid) return;
      }
    }
  };

  const sync = async (name: string): Promise<number | undefined> => {
    const cached = namespaces.lister.get("", name);
    if (cached?.metadata.deletionTimestamp === undefined || !cached.spec.finalizers?.includes(finalizer))
      return undefined;
    try {
      let namespace = cached;
      if (namespace.status.phase !== "Terminating") {
        namespace = await writeStatus(namespace, { ...namespace.status, phase: "Terminating" });
      }
      const attempt = await emptyNamespace(client, await discovery.refresh(), name);
      const conditions = conditionsAfter(namespace.status.conditions, attempt, clock.now());
      if (conditions !== namespace.status.conditions) {
        namespace = await writeStatus(namespace, { ...namespace.status, phase: "Terminating", conditions });
      }
      const errors = [...attempt.discoveryErrors, ...attempt.deletionErrors];
      if (errors.length > 0) throw new Error(`deleting the content of namespace ${name}: ${errors.join("; ")}`);
      if (attempt.estimateSeconds > 0 || attempt.remaining.size > 0) {
        return (Math.floor(attempt.estimateSeconds / 2) + 1) * 1000;
      }
      await finalize(namespace);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  };

  /** Looks at all namespaces again: what holds one up may have gone without its showing in the namespace. */
  const lookAgain = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(config.namespaceSyncPeriodMs, signal).catch(() => undefined);
      for (const namespace of namespaces.lister.list()) enqueue(namespace);
    }
  };

  await namespaces.waitForSync(signal);
  void lookAgain();
  await runWorkers({ name: "namespace", queue, workers: config.concurrentNamespaceSyncs, sync, signal, logger, clock });
}
