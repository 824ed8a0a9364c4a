/**
 * All message specs of CRI `runtime.v1` in one table.
 *
 * @module
 */

import { containerMessages } from "./container.ts";
import { containerRequestsMessages } from "./container-requests.ts";
import { eventsMessages } from "./events.ts";
import { imageMessages } from "./image.ts";
import { metricsMessages } from "./metrics.ts";
import { runtimeMessages } from "./runtime.ts";
import { sandboxMessages } from "./sandbox.ts";
import { securityMessages } from "./security.ts";
import type { FieldSpec } from "./spec.ts";
import { statsMessages } from "./stats.ts";
import { statsRequestsMessages } from "./stats-requests.ts";
import { streamsMessages } from "./streams.ts";

/** Message name → field name → wire number and type. */
export const messages: Readonly<Record<string, Readonly<Record<string, FieldSpec>>>> = {
  ...runtimeMessages,
  ...sandboxMessages,
  ...securityMessages,
  ...containerMessages,
  ...containerRequestsMessages,
  ...streamsMessages,
  ...imageMessages,
  ...statsMessages,
  ...statsRequestsMessages,
  ...eventsMessages,
  ...metricsMessages,
};
