import { core } from "@orchernetes/api";
import { isAlreadyExists, isNotFound } from "@orchernetes/apimachinery";
import type { AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";

async function findNamespace(name: string, context: AdmissionContext): Promise<void> {
  const store = context.registry.forDefinition(core.namespaces);
  if (store.cached({ namespace: "", name }) === undefined)
    await store.get({ namespace: "", name }, { signal: context.signal });
}

/** Plugin NamespaceExists: every write needs its namespace. */
export const namespaceExists: AdmissionPlugin = {
  name: "NamespaceExists",
  handles: (operation) => operation !== "CONNECT",
  async validate({ namespace, resource }, context) {
    if (namespace !== "" && resource.resource !== "namespaces") await findNamespace(namespace, context);
  },
};

/** Plugin NamespaceAutoProvision: a create makes its namespace if there is none. */
export const namespaceAutoProvision: AdmissionPlugin = {
  name: "NamespaceAutoProvision",
  handles: (operation) => operation === "CREATE",
  async admit({ namespace, resource, dryRun }, context) {
    if (dryRun || namespace === "" || resource.resource === "namespaces") return;
    try {
      await findNamespace(namespace, context);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await context.registry
        .forDefinition(core.namespaces)
        .create({ metadata: { name: namespace }, spec: {}, status: {} })
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
    }
  },
};
