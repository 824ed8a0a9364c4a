import type { core } from "@orchernetes/api";
import { isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { follow, inOrder, noPlan, type Plan } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { serviceAccounts as accountsRef, namespaces as namespacesRef } from "../../shared/refs.ts";

/** Names of the service accounts that every namespace has. */
const wanted = ["default"];

/** A namespace and the names of its service accounts. */
export interface NamespaceAccounts {
  readonly namespace: Stored<core.Namespace>;
  readonly names: ReadonlySet<string>;
}

/** Creates a service account. */
export interface CreateAccount {
  readonly type: "CreateServiceAccount";
  readonly name: string;
}

/** The service accounts that are missing in a namespace; none if it is being deleted. */
function reconcile({ namespace, names }: NamespaceAccounts): Plan<CreateAccount> {
  if (namespace.status?.phase === "Terminating" || namespace.metadata.deletionTimestamp !== undefined) return noPlan;
  const missing = wanted.filter((name) => !names.has(name));
  return { actions: missing.map((name) => ({ type: "CreateServiceAccount", name })) };
}

/** Creates the service account `default` in each namespace. */
export const serviceAccountController = defineController({
  name: "serviceaccount",
  serviceAccount: "service-account-controller",
  build(shell) {
    const { client } = shell.context;
    const queue = shell.queue("serviceaccount");
    const namespaces = shell.informer(namespacesRef);
    const accounts = shell.informer(accountsRef);
    follow(namespaces, queue);
    accounts.addHandler({ onDelete: ({ metadata }) => queue.add(metadata.namespace ?? "") });
    shell.loop({
      queue,
      workers: 1,
      gather(name): NamespaceAccounts | undefined {
        const namespace = namespaces.lister.get("", name);
        if (namespace === undefined) return undefined;
        return { namespace, names: new Set(accounts.lister.list(name).map(({ metadata }) => metadata.name)) };
      },
      reconcile,
      carryOut: inOrder<CreateAccount, NamespaceAccounts>({
        async CreateServiceAccount({ name }, _, namespace) {
          const creating = client.resource(accountsRef).namespace(namespace).create({ metadata: { name } });
          await creating.catch((error: unknown) => {
            if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
          });
        },
      }),
    });
  },
});
