/**
 * What the runtime says about itself: version, conditions, network configuration. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */
import type { MessageSpec } from "./spec.ts";

/** Request of `Version`. */
export interface VersionRequest {
  version: string;
}

/** Answer of `Version`. */
export interface VersionResponse {
  version: string;
  runtimeName: string;
  runtimeVersion: string;
  runtimeApiVersion: string;
}

/** A condition of the runtime: `RuntimeReady` and `NetworkReady` are always there. */
export interface RuntimeCondition {
  type: string;
  status: boolean;
  reason: string;
  message: string;
}

/** The runtime's conditions. */
export interface RuntimeStatus {
  conditions: RuntimeCondition[];
}

/** Request of `Status`. */
export interface StatusRequest {
  verbose: boolean;
}

/** Answer of `Status`. */
export interface StatusResponse {
  status?: RuntimeStatus;
  info: Record<string, string>;
}

/** Network settings from the cluster. */
export interface NetworkConfig {
  podCidr: string;
}

/** Settings the agent hands to the runtime. */
export interface RuntimeConfig {
  networkConfig?: NetworkConfig;
}

/** Request of `UpdateRuntimeConfig`. */
export interface UpdateRuntimeConfigRequest {
  runtimeConfig?: RuntimeConfig;
}

/** Answer of `UpdateRuntimeConfig`. */
export type UpdateRuntimeConfigResponse = Record<never, never>;

/** Wire form of the messages of this file. */
export const runtimeMessages = {
  VersionRequest: { version: [1, "string"] } satisfies MessageSpec<VersionRequest>,
  VersionResponse: {
    version: [1, "string"],
    runtimeName: [2, "string"],
    runtimeVersion: [3, "string"],
    runtimeApiVersion: [4, "string"],
  } satisfies MessageSpec<VersionResponse>,
  RuntimeCondition: {
    type: [1, "string"],
    status: [2, "bool"],
    reason: [3, "string"],
    message: [4, "string"],
  } satisfies MessageSpec<RuntimeCondition>,
  RuntimeStatus: { conditions: [1, "[]RuntimeCondition"] } satisfies MessageSpec<RuntimeStatus>,
  StatusRequest: { verbose: [1, "bool"] } satisfies MessageSpec<StatusRequest>,
  StatusResponse: { status: [1, "RuntimeStatus"], info: [2, "map"] } satisfies MessageSpec<StatusResponse>,
  NetworkConfig: { podCidr: [1, "string"] } satisfies MessageSpec<NetworkConfig>,
  RuntimeConfig: { networkConfig: [1, "NetworkConfig"] } satisfies MessageSpec<RuntimeConfig>,
  UpdateRuntimeConfigRequest: { runtimeConfig: [1, "RuntimeConfig"] } satisfies MessageSpec<UpdateRuntimeConfigRequest>,
  UpdateRuntimeConfigResponse: {} satisfies MessageSpec<UpdateRuntimeConfigResponse>,
};
