import type { core } from "@orchernetes/api";
import { isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { flagSection } from "@orchernetes/component";
import { follow, inOrder, noPlan, type Plan } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { configMaps as configMapsRef, namespaces as namespacesRef } from "../../shared/refs.ts";
import { rootCaOf } from "../../shared/root-ca.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";

/** Name of the ConfigMap with the CA bundle by which pods verify the API server. */
const rootCaConfigMap = "orch-root-ca.crt";
const descriptionAnnotation = "orchernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the orch-apiserver when using internal endpoints such as the internal service IP or orchernetes.default.svc. No other usage is guaranteed across distributions of Orchernetes clusters.";

/** A namespace and its ConfigMap. */
export interface PublisherState {
  readonly namespace: Stored<core.Namespace>;
  readonly existing: Stored<core.ConfigMap> | undefined;
  readonly bundle: string;
}

/** A write of the controller. */
export type PublisherAction =
  | { readonly type: "Create"; readonly data: Readonly<Record<string, string>> }
  | { readonly type: "Update"; readonly configMap: Stored<core.ConfigMap> };

/** The desired ConfigMap, which contains only the bundle. */
function reconcile({ namespace, existing, bundle }: PublisherState): Plan<PublisherAction> {
  if (namespace.status?.phase === "Terminating" || namespace.metadata.deletionTimestamp !== undefined) return noPlan;
  const data = { "ca.crt": bundle };
  if (existing === undefined) return { actions: [{ type: "Create", data }] };
  const annotated = existing.metadata.annotations?.[descriptionAnnotation] !== undefined;
  if (semanticEqual(existing.data, data) && annotated) return noPlan;
  const annotations = { ...existing.metadata.annotations, [descriptionAnnotation]: description };
  const configMap = { ...existing, metadata: { ...existing.metadata, annotations }, data };
  return { actions: [{ type: "Update", configMap }] };
}

/** Publishes the root CA bundle in each namespace. */
export const rootCaCertPublisher = defineController({
  name: "root-ca-cert-publisher",
  serviceAccount: "root-ca-cert-publisher",
  flags: flagSection("Service account controller", {
    "root-ca-file": {
      field: "SAController.RootCAFile",
      type: "string",
      default: "",
      help: "PEM bundle that is published in every namespace and in token secrets, and with which pods verify the API server.",
    },
  }),
  settings: async (source) => ({ bundle: await rootCaOf(source) }),
  build(shell, { bundle }) {
    const { client, logger } = shell.context;
    if (bundle === undefined) {
      logger.warn("No root CA bundle to publish: neither --root-ca-file nor the client configuration names one");
      return;
    }
    const queue = shell.queue("root-ca-cert-publisher");
    const namespaces = shell.informer(namespacesRef);
    const configMaps = shell.informer(configMapsRef);
    const configMapChanged = ({ metadata }: Stored<core.ConfigMap>): void => {
      if (metadata.name === rootCaConfigMap) queue.add(metadata.namespace ?? "");
    };
    follow(namespaces, queue);
    configMaps.addHandler({ onUpdate: (_, configMap) => configMapChanged(configMap), onDelete: configMapChanged });
    shell.loop({
      queue,
      workers: 1,
      gather(name): PublisherState | undefined {
        const namespace = namespaces.lister.get("", name);
        return namespace && { namespace, existing: configMaps.lister.get(name, rootCaConfigMap), bundle };
      },
      reconcile,
      carryOut: inOrder<PublisherAction, PublisherState>({
        async Create({ data }, _, namespace) {
          const metadata = { name: rootCaConfigMap, annotations: { [descriptionAnnotation]: description } };
          const creating = client.resource(configMapsRef).namespace(namespace).create({ metadata, data });
          await creating.catch((error: unknown) => {
            if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
          });
        },
        Update: async ({ configMap }) => void (await client.resource(configMapsRef).update(configMap)),
      }),
    });
  },
});
