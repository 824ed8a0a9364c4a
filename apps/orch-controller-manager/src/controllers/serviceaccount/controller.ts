import type { core } from "@orchernetes/api";
import { isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan, runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { serviceAccounts as accountsRef, namespaces as namespacesRef } from "../../shared/refs.ts";

/** Service accounts that every namespace has. */
const wanted = ["default"];

export interface NamespaceAccounts {
  readonly namespace: Stored<core.Namespace>;
  readonly names: ReadonlySet<string>;
}

export interface CreateAccount {
  readonly type: "CreateServiceAccount";
  readonly name: string;
}

/** The service accounts that a namespace lacks; one that is going away lacks none. */
export function reconcile({ namespace, names }: NamespaceAccounts): Plan<CreateAccount> {
  if (namespace.status?.phase === "Terminating" || namespace.metadata.deletionTimestamp !== undefined) return noPlan;
  const missing = wanted.filter((name) => !names.has(name));
  return { actions: missing.map((name) => ({ type: "CreateServiceAccount", name })) };
}

/** Makes the service account `default` in each namespace. */
export const serviceAccountController: ControllerDescriptor = {
  name: "serviceaccount",
  serviceAccount: "service-account-controller",
  enabledByDefault: true,
  start: run,
};

async function run({ client, clock, informers, logger, queueMetrics, signal }: ControllerContext): Promise<void> {
  const queue = new WorkQueue({ name: "serviceaccount", clock, metrics: queueMetrics });
  const namespaces = informers.informer(namespacesRef);
  const accounts = informers.informer(accountsRef);
  namespaces.addHandler({
    onAdd: ({ metadata }) => queue.add(metadata.name),
    onUpdate: (_, { metadata }) => queue.add(metadata.name),
  });
  accounts.addHandler({ onDelete: ({ metadata }) => queue.add(metadata.namespace ?? "") });
  await Promise.all([namespaces.waitForSync(signal), accounts.waitForSync(signal)]);
  await runController<NamespaceAccounts, CreateAccount>(
    {
      name: "serviceaccount",
      queue,
      workers: 1,
      gather(name) {
        const namespace = namespaces.lister.get("", name);
        if (namespace === undefined) return undefined;
        return { namespace, names: new Set(accounts.lister.list(name).map(({ metadata }) => metadata.name)) };
      },
      reconcile,
      async carryOut(actions, _, namespace) {
        for (const { name } of actions) {
          const creating = client.resource(accountsRef).namespace(namespace).create({ metadata: { name } });
          await creating.catch((error: unknown) => {
            if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
          });
        }
      },
    },
    { signal, logger, clock },
  );
}
