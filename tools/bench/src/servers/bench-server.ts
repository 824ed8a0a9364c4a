import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { NAMESPACE } from "../load/objects.ts";

/** An API server with the namespace of the loads, and in it a service account that mounts no token. */
export async function startBenchServer(store: "etcd" | "embedded"): Promise<TestApiServer> {
  const server = await startApiServer({ store, flags: ["--disable-admission-plugins=TaintNodesByCondition"] });
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
      body: {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default" },
        automountServiceAccountToken: false,
      },
    });
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
