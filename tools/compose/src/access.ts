import { createClient, loadClientConfig } from "@orchernetes/client";

/** User name of the API server towards node agents. */
export const orchletClient = "orch-apiserver-orchlet-client";

const rbac = "rbac.authorization.o8s.io";

/** Allows the API server to use the nodes' agents, and nothing else. Idempotent. @throws ApiError, Error when that fails */
export async function bindOrchletClient(configFile: string): Promise<void> {
  const client = createClient(loadClientConfig(configFile));
  try {
    await client.request({
      method: "PATCH",
      path: `/apis/${rbac}/v1/clusterrolebindings/${orchletClient}`,
      query: { fieldManager: "compose", force: true },
      contentType: "application/apply-patch+yaml",
      body: JSON.stringify({
        apiVersion: `${rbac}/v1`,
        kind: "ClusterRoleBinding",
        metadata: { name: orchletClient },
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "system:orchlet-api-admin" },
        subjects: [{ apiGroup: rbac, kind: "User", name: orchletClient }],
      }),
    });
  } finally {
    client.close();
  }
}
