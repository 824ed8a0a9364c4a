import type { Limits } from "../interfaces/index.ts";

/** Limits of a server for which the options name no others. */
export const defaultLimits: Limits = {
  maxBodyBytes: 3 * 1024 * 1024,
  maxRequestsInflight: 400,
  maxMutatingRequestsInflight: 200,
  requestTimeoutMs: 60_000,
  minRequestTimeoutSeconds: 1800,
  maxConnectionBytesPerSec: 0,
};
