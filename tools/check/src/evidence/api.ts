import { ApiError } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { ApiObject, Binding, Objects, Pod, Role, ServiceAccount } from "./evidence.ts";

/** Maximum number of objects of a kind. Beyond it nothing is judged, because a judgement about a part of them would be wrong. */
const MAX_OBJECTS = 50_000;
/** Number of objects in a page of a list. */
const PAGE = 500;

interface Page<T> {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly T[] | null;
}

/** All objects of a collection. @throws ApiError; Error for more than 50,000 */
async function listAll<T>(
  client: Client,
  path: string,
  options: { readonly fieldSelector?: string; readonly accept?: string } = {},
): Promise<readonly T[]> {
  const { accept, ...query } = options;
  const found: T[] = [];
  for (let next = ""; ; ) {
    const page = (await client.request({
      method: "GET",
      path,
      query: { ...query, limit: PAGE, ...(next !== "" && { continue: next }) },
      ...(accept !== undefined && { accept }),
    })) as Page<T>;
    found.push(...(page.items ?? []));
    next = page.metadata?.continue ?? "";
    if (next === "") return found;
    if (found.length > MAX_OBJECTS) throw new Error(`${path} has more than ${MAX_OBJECTS} objects`);
  }
}

const RBAC = "/apis/rbac.authorization.o8s.io/v1";
/** Requests only the metadata of objects, so that the data of secrets is never read. */
const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.o8s.io;v=v1";

/** Reads the objects that controls judge. @throws ApiError if the client may not read some of them */
export async function readObjects(client: Client): Promise<Objects> {
  const names = { accept: METADATA_ONLY };
  const kind = <T extends object>(value: Role["kind"], list: readonly T[]) =>
    list.map((one) => ({ ...one, kind: value }));
  const [
    namespaces,
    clusterRoles,
    roles,
    clusterBindings,
    bindings,
    serviceAccounts,
    pods,
    services,
    policies,
    tokens,
  ] = await Promise.all([
    listAll<ApiObject>(client, "/api/v1/namespaces"),
    listAll<Role>(client, `${RBAC}/clusterroles`),
    listAll<Role>(client, `${RBAC}/roles`),
    listAll<Binding>(client, `${RBAC}/clusterrolebindings`),
    listAll<Binding>(client, `${RBAC}/rolebindings`),
    listAll<ServiceAccount>(client, "/api/v1/serviceaccounts"),
    listAll<Pod>(client, "/api/v1/pods"),
    listAll<ApiObject>(client, "/api/v1/services", names),
    listAll<ApiObject>(client, "/apis/networking.o8s.io/v1/networkpolicies", names),
    listAll<ApiObject>(client, "/api/v1/secrets", {
      ...names,
      fieldSelector: "type=orchernetes.io/service-account-token",
    }),
  ]);
  return {
    namespaces,
    roles: [...kind("ClusterRole", clusterRoles), ...kind("Role", roles)],
    bindings: [...clusterBindings, ...bindings],
    serviceAccounts,
    pods,
    services,
    networkPolicies: policies,
    tokenSecrets: tokens,
  };
}

/** Returns the status of the response to a GET; undefined if there is no response. */
export async function statusOf(client: Client, path: string): Promise<number | undefined> {
  try {
    await client.request({ method: "GET", path });
    return 200;
  } catch (error) {
    return error instanceof ApiError ? error.code : undefined;
  }
}

/** The admission plugins that have decided about a request since the API server started. */
export async function activePlugins(client: Client): Promise<ReadonlySet<string>> {
  const text = await client.request({ method: "GET", path: "/metrics", accept: "text/plain" }).catch(() => "");
  const lines = String(text).matchAll(
    /^apiserver_admission_controller_admission_duration_seconds_count\{[^}]*?\bname="([^"]+)"/gm,
  );
  return new Set(Array.from(lines, ([, name = ""]) => name));
}
