/** Settings of the controllers, from flags. Times are in milliseconds. */
export interface ControllerManagerConfig {
  readonly concurrentReplicaSetSyncs: number;
  readonly concurrentDeploymentSyncs: number;
  readonly concurrentRcSyncs: number;
  readonly concurrentEndpointSyncs: number;
  readonly endpointUpdatesBatchMs: number;
  readonly concurrentServiceEndpointSyncs: number;
  readonly endpointSliceUpdatesBatchMs: number;
  readonly maxEndpointsPerSlice: number;
  readonly concurrentNamespaceSyncs: number;
  readonly namespaceSyncPeriodMs: number;
  /** PEM bundle for `orch-root-ca.crt`; undefined: not published. */
  readonly rootCa: string | undefined;
  readonly enableGarbageCollector: boolean;
  readonly concurrentGcSyncs: number;
  readonly terminatedPodGcThreshold: number;
  readonly nodeMonitorPeriodMs: number;
  readonly nodeMonitorGracePeriodMs: number;
  readonly nodeStartupGracePeriodMs: number;
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
  readonly unhealthyZoneThreshold: number;
}
