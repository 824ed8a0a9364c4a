import type { Client } from "@orchernetes/client";

const NAMESPACE = "orch-system";
const NAME = "recordings";

/**
 * Creates a service account with the role cluster-admin and returns a token for it, valid for a day. For clusters
 * whose administrator has a certificate: the recordings can only use a token.
 * @throws Error when a request fails
 */
export async function adminToken(client: Client): Promise<string> {
  await client.request({
    method: "POST",
    path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
    body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: NAME } },
  });
  await client.request({
    method: "POST",
    path: "/apis/rbac.authorization.o8s.io/v1/clusterrolebindings",
    body: {
      apiVersion: "rbac.authorization.o8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: NAME },
      roleRef: { apiGroup: "rbac.authorization.o8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: NAME, namespace: NAMESPACE }],
    },
  });
  const response = (await client.request({
    method: "POST",
    path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${NAME}/token`,
    body: {
      apiVersion: "authentication.o8s.io/v1",
      kind: "TokenRequest",
      metadata: {},
      spec: { expirationSeconds: 86_400 },
    },
  })) as { readonly status?: { readonly token?: string } };
  const token = response.status?.token;
  if (!token) throw new Error("the response to the token request has no token");
  return token;
}
