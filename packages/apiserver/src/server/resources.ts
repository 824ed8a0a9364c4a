import { LongWork, silentLogger, systemClock, systemEventLoop } from "@orchernetes/kernel";
import type { Store } from "@orchernetes/storage";
import { defaultServerFeatures } from "../interfaces/index.ts";
import { admissionMeter, tracedAdmission } from "../observe/observed-admission.ts";
import { AdmissionChain } from "../registry/admission-chain.ts";
import { ResourceRegistry } from "../registry/resource-registry.ts";
import type { ResourcesOptions } from "./server-options.ts";

/**
 * The resources of a server: the first stage of building it. Everything else (authorizers, handlers, discovery) may
 * depend on it.
 */
export interface Resources {
  readonly registry: ResourceRegistry;
  readonly admission: AdmissionChain;
  /** The store of all resources that have no other one. */
  readonly store: Store;
}

/** Creates the registry of all resources. Nothing is read before its `start`. */
export function createResources(options: ResourcesOptions): Resources {
  const { metrics, tracer, store, signal } = options;
  const admission = new AdmissionChain(options.admission ?? [], {
    meter: metrics === undefined ? undefined : admissionMeter(metrics),
    decorators: tracer === undefined ? [] : [tracedAdmission(tracer)],
  });
  const registry = new ResourceRegistry({
    storeFor: options.storeFor ?? (() => store),
    watchCache: options.watchCache ?? (() => true),
    watchFromStorage: { ...defaultServerFeatures, ...options.features }.watchFromStorage,
    mediaType: options.storageMediaType ?? "application/json",
    eventTtlSeconds: options.eventTtlSeconds ?? 3600,
    unserved: options.unservedDefinitions ?? [],
    environment: {
      clock: options.clock ?? systemClock,
      loop: options.loop ?? systemEventLoop,
      longWork: new LongWork(options.loop ?? systemEventLoop),
      logger: options.logger ?? silentLogger,
      admission,
      featureEnabled: options.featureEnabled ?? (() => false),
      disabledFields: options.disabledFields ?? (() => undefined),
      allowPrivileged: options.allowPrivileged ?? false,
      expressions: options.expressions,
      enableGarbageCollector: options.enableGarbageCollector ?? true,
      writeHooks: options.writeHooks ?? [],
      signal,
    },
  });
  registry.add(options.definitions);
  return { registry, admission, store };
}
