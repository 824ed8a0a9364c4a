/**
 * Messages, enumerations and services of CRI `runtime.v1`.
 *
 * @module
 */

export type * from "./container.ts";
export type * from "./container-requests.ts";
export type * from "./enums.ts";
export type * from "./events.ts";
export type * from "./image.ts";
export type * from "./metrics.ts";
export type * from "./runtime.ts";
export type * from "./sandbox.ts";
export type * from "./security.ts";
export type * from "./services.ts";
export type * from "./stats.ts";
export type * from "./stats-requests.ts";
export type * from "./streams.ts";
