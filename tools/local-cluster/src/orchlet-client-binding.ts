import { apiRequest } from "./api-probe.ts";
import type { Layout } from "./layout.ts";

/** User name of the API server towards node agents. */
export const orchletClient = "orch-apiserver-orchlet-client";

/** Allows the API server to use the nodes' agents, and nothing else. */
const binding = {
  apiVersion: "rbac.authorization.o8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: orchletClient },
  roleRef: { apiGroup: "rbac.authorization.o8s.io", kind: "ClusterRole", name: "system:orchlet-api-admin" },
  subjects: [{ apiGroup: "rbac.authorization.o8s.io", kind: "User", name: orchletClient }],
};

/**
 * Binds the API server's identity towards nodes to the role for it. Idempotent.
 * @throws Error with the server's answer when that fails
 */
export async function bindOrchletClient(files: Layout, port: number): Promise<void> {
  const { status, body } = await apiRequest(files, port, {
    method: "PATCH",
    path: `/apis/rbac.authorization.o8s.io/v1/clusterrolebindings/${orchletClient}?fieldManager=local-cluster&force=true`,
    contentType: "application/apply-patch+yaml",
    body: JSON.stringify(binding),
  });
  if (status !== 200 && status !== 201)
    throw new Error(`binding ${orchletClient} to system:orchlet-api-admin: the API server answered ${status}: ${body}`);
}
