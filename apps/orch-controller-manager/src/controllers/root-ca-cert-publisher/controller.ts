import type { core } from "@orchernetes/api";
import { isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan, runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { configMaps as configMapsRef, namespaces as namespacesRef } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";

/** Name of the ConfigMap with the bundle that pods verify the API server with. */
export const rootCaConfigMap = "orch-root-ca.crt";
const descriptionAnnotation = "orchernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the orch-apiserver when using internal endpoints such as the internal service IP or orchernetes.default.svc. No other usage is guaranteed across distributions of Orchernetes clusters.";

export interface PublisherState {
  readonly namespace: Stored<core.Namespace>;
  readonly existing: Stored<core.ConfigMap> | undefined;
  readonly bundle: string;
}

export type PublisherAction =
  | { readonly type: "Create"; readonly data: Readonly<Record<string, string>> }
  | { readonly type: "Update"; readonly configMap: Stored<core.ConfigMap> };

/** The ConfigMap as it must be: the bundle and nothing else. */
export function reconcile({ namespace, existing, bundle }: PublisherState): Plan<PublisherAction> {
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
export const rootCaCertPublisher: ControllerDescriptor = {
  name: "root-ca-cert-publisher",
  serviceAccount: "root-ca-cert-publisher",
  enabledByDefault: true,
  start: run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, config, informers, logger, queueMetrics, signal } = context;
  const bundle = config.rootCa;
  if (bundle === undefined) {
    logger.warn("No root CA bundle to publish: neither --root-ca-file nor the client configuration names one");
    return;
  }
  const queue = new WorkQueue({ name: "root-ca-cert-publisher", clock, metrics: queueMetrics });
  const namespaces = informers.informer(namespacesRef);
  const configMaps = informers.informer(configMapsRef);
  const configMapChanged = ({ metadata }: Stored<core.ConfigMap>): void => {
    if (metadata.name === rootCaConfigMap) queue.add(metadata.namespace ?? "");
  };
  namespaces.addHandler({
    onAdd: ({ metadata }) => queue.add(metadata.name),
    onUpdate: (_, { metadata }) => queue.add(metadata.name),
  });
  configMaps.addHandler({ onUpdate: (_, configMap) => configMapChanged(configMap), onDelete: configMapChanged });
  await Promise.all([namespaces.waitForSync(signal), configMaps.waitForSync(signal)]);
  await runController<PublisherState, PublisherAction>(
    {
      name: "root-ca-cert-publisher",
      queue,
      workers: 1,
      gather(name) {
        const namespace = namespaces.lister.get("", name);
        return namespace && { namespace, existing: configMaps.lister.get(name, rootCaConfigMap), bundle };
      },
      reconcile,
      async carryOut(actions, _, name) {
        const resource = client.resource(configMapsRef).namespace(name);
        for (const action of actions) {
          if (action.type === "Update") {
            await resource.update(action.configMap);
            continue;
          }
          const metadata = { name: rootCaConfigMap, annotations: { [descriptionAnnotation]: description } };
          await resource.create({ metadata, data: action.data }).catch((error: unknown) => {
            if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
          });
        }
      },
    },
    { signal, logger, clock },
  );
}
