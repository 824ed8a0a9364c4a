/**
 * Running commands in containers, attaching, forwarding ports. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */
import type { MessageSpec } from "./spec.ts";

/** Request of `ExecSync`. `timeout` in seconds; 0 means none. */
export interface ExecSyncRequest {
  containerId: string;
  cmd: string[];
  timeout: number;
}

/** Answer of `ExecSync`. */
export interface ExecSyncResponse {
  stdout: Uint8Array;
  stderr: Uint8Array;
  exitCode: number;
}

/** Request of `Exec`. */
export interface ExecRequest {
  containerId: string;
  cmd: string[];
  tty: boolean;
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}

/** Answer of `Exec`. */
export interface ExecResponse {
  url: string;
}

/** Request of `Attach`. */
export interface AttachRequest {
  containerId: string;
  stdin: boolean;
  tty: boolean;
  stdout: boolean;
  stderr: boolean;
}

/** Answer of `Attach`. */
export interface AttachResponse {
  url: string;
}

/** Request of `PortForward`. */
export interface PortForwardRequest {
  podSandboxId: string;
  port: number[];
}

/** Answer of `PortForward`. */
export interface PortForwardResponse {
  url: string;
}

/** Wire form of the messages of this file. */
export const streamsMessages = {
  ExecSyncRequest: {
    containerId: [1, "string"],
    cmd: [2, "[]string"],
    timeout: [3, "int64"],
  } satisfies MessageSpec<ExecSyncRequest>,
  ExecSyncResponse: {
    stdout: [1, "bytes"],
    stderr: [2, "bytes"],
    exitCode: [3, "int32"],
  } satisfies MessageSpec<ExecSyncResponse>,
  ExecRequest: {
    containerId: [1, "string"],
    cmd: [2, "[]string"],
    tty: [3, "bool"],
    stdin: [4, "bool"],
    stdout: [5, "bool"],
    stderr: [6, "bool"],
  } satisfies MessageSpec<ExecRequest>,
  ExecResponse: { url: [1, "string"] } satisfies MessageSpec<ExecResponse>,
  AttachRequest: {
    containerId: [1, "string"],
    stdin: [2, "bool"],
    tty: [3, "bool"],
    stdout: [4, "bool"],
    stderr: [5, "bool"],
  } satisfies MessageSpec<AttachRequest>,
  AttachResponse: { url: [1, "string"] } satisfies MessageSpec<AttachResponse>,
  PortForwardRequest: { podSandboxId: [1, "string"], port: [2, "[]int32"] } satisfies MessageSpec<PortForwardRequest>,
  PortForwardResponse: { url: [1, "string"] } satisfies MessageSpec<PortForwardResponse>,
};
