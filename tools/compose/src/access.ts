import { type Client, createClient, loadClientConfig } from "@orchernetes/client";
import { metricsAccessObjects, metricsApiObjects } from "@orchernetes/local-cluster/metrics-objects";

/** User name of the API server towards node agents. */
export const orchletClient = "orch-apiserver-orchlet-client";

const rbac = "rbac.authorization.o8s.io";

/** Name of the service, and port, at which the metrics server listens in the compose file. */
const METRICS_SERVER = { type: "externalName", name: "metrics-server", port: 4443 } as const;

const binding = {
  path: `/apis/${rbac}/v1/clusterrolebindings/${orchletClient}`,
  object: {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: orchletClient },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "system:orchlet-api-admin" },
    subjects: [{ apiGroup: rbac, kind: "User", name: orchletClient }],
  },
};

/**
 * Allows the API server to use the nodes' agents, and nothing else, and registers the metrics server with its rights.
 * Idempotent.
 *
 * @throws ApiError, Error when that fails
 */
export async function setUpAccess(configFile: string): Promise<void> {
  const config = loadClientConfig(configFile);
  const { ca = "" } = (typeof config.tls === "function" ? config.tls() : config.tls) ?? {};
  const client = createClient(config);
  try {
    // The authority of the API server is that of the metrics server, too.
    for (const object of [binding, ...metricsAccessObjects, ...metricsApiObjects(METRICS_SERVER, ca)])
      await apply(client, object);
  } finally {
    client.close();
  }
}

const apply = (client: Client, { path, object }: { readonly path: string; readonly object: object }) =>
  client.request({
    method: "PATCH",
    path,
    query: { fieldManager: "compose", force: true },
    contentType: "application/apply-patch+yaml",
    body: JSON.stringify(object),
  });
