import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { NAMESPACE } from "../load/objects.ts";

/**
 * An API server with the authorizers and admission plugins of a real cluster, the namespace of the loads, and in it the
 * service account that pods get.
 * @param from `root`: folder of the workspace that it comes from, ending with a slash, instead of this one; further `flags`
 */
export async function startBenchServer(
  store: "etcd" | "embedded",
  from: { readonly root?: string; readonly flags?: readonly string[] } = {},
): Promise<TestApiServer> {
  const server = await startApiServer({ store, authorizationMode: "Node,RBAC", ...from });
  try {
    const client = server.client();
    await client.request({
      method: "POST",
      path: "/api/v1/namespaces",
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
    });
    await client.request({
      method: "POST",
      path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
      body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } },
    });
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
