/** Settings of the controllers, from flags. Times are in milliseconds. */
export interface ControllerManagerConfig {
  readonly concurrentReplicaSetSyncs: number;
  readonly concurrentDeploymentSyncs: number;
}
