import { disabledFields, servedResources } from "@orchernetes/api";
import { customResourceDefinitions } from "@orchernetes/apiextensions";
import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { createResources, type Resources, type StorageMediaType } from "@orchernetes/apiserver";
import { expressionChecker } from "../admission/expressions/expression-checker.ts";
import { type AdmissionMetrics, admissionMetrics } from "../metrics/admission-metrics.ts";
import type { PolicyStage } from "./policy-stage.ts";
import type { ServerProcess } from "./process.ts";
import { given } from "./process.ts";
import type { StorageStage } from "./storage-stage.ts";

/** The resources that the server serves. */
export interface ResourcesStage {
  readonly resources: Resources;
  /** The built-in resources. Those of custom resources and APIServices come and go with stored objects. */
  readonly builtIn: readonly ResourceDefinition[];
  /** Measures admission. */
  readonly admissionMetrics: AdmissionMetrics;
}

/** Selects the resources by `--runtime-config` and feature gates, and creates their registry. It does not read the store yet. */
export async function createServedResources(
  { config, flags, explicit, logger, loop, metrics, tracer, ended }: ServerProcess,
  { stores, storeFor }: Pick<StorageStage, "stores" | "storeFor">,
  { admission, writeHooks, expressions }: Pick<PolicyStage, "admission" | "writeHooks" | "expressions">,
): Promise<ResourcesStage> {
  const { featureEnabled } = config;
  const { served, unserved, warnings } = await servedResources(config.enablement, featureEnabled, [
    customResourceDefinitions as unknown as ResourceDefinition,
  ]);
  for (const warning of [...config.warnings, ...warnings]) logger.warn(warning);
  const measured = admissionMetrics(metrics);
  const mediaType = explicit.has("storage-media-type") ? (flags["storage-media-type"] as StorageMediaType) : undefined;
  const resources = createResources({
    definitions: served,
    unservedDefinitions: unserved,
    store: stores.main,
    storeFor,
    ...given("storageMediaType", mediaType),
    watchCache: ({ group, plural }) => flags["watch-cache"] && !config.watchCacheSizes.off.has(`${group}/${plural}`),
    admission,
    writeHooks,
    logger,
    loop,
    metrics: measured,
    ...given("tracer", tracer),
    eventTtlSeconds: Math.floor(flags["event-ttl"] / 1000),
    featureEnabled,
    features: config.serverFeatures,
    disabledFields: (definition) => disabledFields(definition, featureEnabled),
    expressions: expressionChecker(expressions),
    allowPrivileged: flags["allow-privileged"],
    enableGarbageCollector: flags["enable-garbage-collector"],
    signal: ended,
  });
  return { resources, builtIn: served, admissionMetrics: measured };
}
