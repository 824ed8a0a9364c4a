import type { core } from "@orchernetes/api";
import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { flagSection } from "@orchernetes/component";
import { inOrder } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { namespaces as namespacesRef } from "../../shared/refs.ts";
import { conditionsAfter } from "./conditions.ts";
import { emptyNamespace } from "./empty-namespace.ts";
import { finalizer, graceLeftMs, isLeaving, type Namespace, type NamespaceAction, reconcile } from "./reconcile.ts";

/** A namespace; updated with the result of each write of the plan. */
interface State {
  latest: Namespace;
}

/**
 * Deletes the content of terminating namespaces, then removes their finalizer, whereupon the server deletes them. While
 * objects are left, the namespace is synced again after an estimated time, and its conditions report what is left.
 */
export const namespaceController = defineController({
  name: "namespace",
  serviceAccount: "namespace-controller",
  flags: flagSection("Namespace controller", {
    "concurrent-namespace-syncs": {
      field: "NamespaceController.ConcurrentNamespaceSyncs",
      type: "int",
      default: 10,
      min: 1,
      help: "Number of namespaces that are synced concurrently.",
    },
    "namespace-sync-period": {
      field: "NamespaceController.NamespaceSyncPeriod",
      type: "duration",
      default: "5m0s",
      min: 1,
      help: "Interval between syncs of all namespaces.",
    },
  }),
  settings: ({ document: { NamespaceController: section } }) => ({
    workers: section.ConcurrentNamespaceSyncs,
    syncPeriodMs: section.NamespaceSyncPeriod,
  }),
  build(shell, settings) {
    const { client, clock, discovery } = shell.context;
    const queue = shell.queue("namespace");
    const namespaces = shell.informer(namespacesRef);
    const enqueue = (namespace: Namespace): void => {
      if (isLeaving(namespace)) queue.addAfter(namespace.metadata.name, graceLeftMs(namespace, clock.now()));
    };
    namespaces.addHandler({ onAdd: enqueue, onUpdate: (_, namespace) => enqueue(namespace) });
    // Objects with finalizers may be gone now, which causes no event of the namespace.
    shell.every(settings.syncPeriodMs, () => namespaces.lister.list().forEach(enqueue));

    const carryOut = inOrder<NamespaceAction, State>({
      async MarkTerminating(_, state) {
        state.latest = await writeStatus(client, state.latest, { ...state.latest.status, phase: "Terminating" });
      },
      async Empty(_, state) {
        const { name } = state.latest.metadata;
        const attempt = await emptyNamespace(client, await discovery.refresh(), name);
        const { status } = state.latest;
        const conditions = conditionsAfter(status.conditions, attempt, clock.now());
        if (conditions !== status.conditions) {
          state.latest = await writeStatus(client, state.latest, { ...status, phase: "Terminating", conditions });
        }
        const errors = [...attempt.discoveryErrors, ...attempt.deletionErrors];
        if (errors.length > 0) throw new Error(`deleting the content of namespace ${name}: ${errors.join("; ")}`);
        if (attempt.estimateSeconds > 0 || attempt.remaining.size > 0) {
          return (Math.floor(attempt.estimateSeconds / 2) + 1) * 1000;
        }
        await finalize(client, state.latest);
        return undefined;
      },
    });
    shell.loop({
      queue,
      workers: settings.workers,
      gather(name): State | undefined {
        const latest = namespaces.lister.get("", name);
        return latest && { latest };
      },
      reconcile: ({ latest }) => reconcile(latest),
      carryOut: (actions, state, name) =>
        carryOut(actions, state, name).catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        }),
    });
  },
});

/** Writes the status, and retries conflicts. @throws ApiError, Conflict if another namespace has the name now */
async function writeStatus(client: Client, namespace: Namespace, status: core.NamespaceStatus): Promise<Namespace> {
  const resource = client.resource(namespacesRef);
  for (let current = namespace; ; ) {
    try {
      return await resource.updateStatus({ ...current, status });
    } catch (error) {
      if (!isConflict(error)) throw error;
      current = await resource.get(namespace.metadata.name);
      if (current.metadata.uid !== namespace.metadata.uid) throw error;
    }
  }
}

/** Removes the finalizer, unless another namespace has the name now. */
async function finalize(client: Client, namespace: Namespace): Promise<void> {
  const { name } = namespace.metadata;
  const resource = client.resource(namespacesRef);
  for (let current = namespace; ; ) {
    const finalizers = (current.spec.finalizers ?? []).filter((other) => other !== finalizer);
    try {
      const body = { ...current, kind: "Namespace", apiVersion: "v1", spec: { ...current.spec, finalizers } };
      await resource.subresource("finalize").update(name, body);
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
      current = await resource.get(name);
      if (current.metadata.uid !== namespace.metadata.uid) return;
    }
  }
}
