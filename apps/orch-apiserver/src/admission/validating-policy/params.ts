import type * as v1beta1 from "@orchernetes/api/admissionregistration/v1beta1";
import { ApiError, type ApiObject, formatLabelSelector } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, Registry, ResourceStore } from "@orchernetes/apiserver";

/** The policy cannot be enforced as it is configured. */
class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/**
 * Returns the resource of a policy's parameters.
 *
 * @throws ConfigurationError if this server has no such resource, or one whose objects are not stored
 */
export function paramStore({ apiVersion = "", kind = "" }: v1beta1.ParamKind, registry: Registry): ResourceStore {
  const slash = apiVersion.indexOf("/");
  const [group, version] = [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)];
  const store = registry.lookupKind(group, version, kind);
  if (store === undefined || !store.definition.verbs.includes("list"))
    throw new ConfigurationError(
      `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`,
    );
  return store;
}

/**
 * Returns the parameters for which a binding is evaluated, each separately; `undefined` means evaluation without parameters. If the list is
 * empty, the parameters are missing and the binding allows that.
 *
 * @throws ConfigurationError if there are none and there must be, or if the reference does not match the resource
 */
export async function paramsOf(
  store: ResourceStore | undefined,
  ref: v1beta1.ParamRef | undefined,
  { namespace }: Pick<AdmissionAttributes, "namespace">,
  context: Pick<AdmissionContext, "signal">,
): Promise<readonly (ApiObject | undefined)[]> {
  // Without a kind references are ignored; without a reference the parameters are null.
  if (store === undefined || ref === undefined) return [undefined];
  const at = namespaceOf(store, ref, namespace);
  const { name = "", selector } = ref;
  if (name !== "") {
    const found = await named(store, { namespace: at, name }, context);
    if (found !== undefined) return [found];
    return absent(ref, `${name} not found`);
  }
  const labelSelector = selector === undefined || selector === null ? "" : formatLabelSelector(selector);
  const found = await store.recentList({ ...(at !== "" && { namespace: at }), labelSelector });
  return found.length > 0
    ? found
    : absent(ref, "no params found for policy binding with `Deny` parameterNotFoundAction");
}

function namespaceOf(store: ResourceStore, { namespace = "" }: v1beta1.ParamRef, ofRequest: string): string {
  if (store.definition.scope !== "Namespaced") {
    if (namespace === "") return "";
    throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (namespace !== "") return namespace;
  if (ofRequest !== "") return ofRequest;
  throw new ConfigurationError(
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
  );
}

async function named(
  store: ResourceStore,
  ref: { readonly namespace: string; readonly name: string },
  { signal }: Pick<AdmissionContext, "signal">,
): Promise<ApiObject | undefined> {
  const cached = store.cached(ref);
  if (cached !== undefined) return cached;
  try {
    return await store.get(ref, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}

function absent({ parameterNotFoundAction }: v1beta1.ParamRef, error: string): readonly [] {
  if (parameterNotFoundAction === "Allow") return [];
  throw new ConfigurationError(error);
}
