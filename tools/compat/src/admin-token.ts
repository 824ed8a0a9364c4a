import type { Client } from "@orchernetes/client";

const NAMESPACE = "orch-system";
const NAME = "recordings";

/** A token of a service account that may do everything: for clusters whose administrator has a certificate. */
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
  const answer = (await client.request({
    method: "POST",
    path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${NAME}/token`,
    body: {
      apiVersion: "authentication.o8s.io/v1",
      kind: "TokenRequest",
      metadata: {},
      spec: { expirationSeconds: 86_400 },
    },
  })) as { readonly status?: { readonly token?: string } };
  const token = answer.status?.token;
  if (!token) throw new Error("the token request was answered without a token");
  return token;
}
