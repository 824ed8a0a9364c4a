import { randomUUID } from "node:crypto";
import { core } from "@orchernetes/api";
import type { Registry } from "@orchernetes/apiserver";

/** An event about a problem of a service. */
export interface ServiceEvent {
  readonly service: core.Service;
  readonly reason: string;
  readonly action: string;
  readonly message: string;
  readonly reporter: string;
}

/** Stores a warning about a service. */
export function eventRecorder(options: {
  /** The server's own name. */
  readonly instance: string;
  readonly now: () => Date;
}): (registry: Registry, event: ServiceEvent) => Promise<void> {
  return async (registry, { service, reason, action, message, reporter }) => {
    const { name = "", namespace = "", uid = "", resourceVersion = "" } = service.metadata;
    const time = options.now().toISOString();
    await registry.forDefinition(core.events).create({
      metadata: { name: `${name}.${randomUUID()}`, namespace },
      involvedObject: { kind: "Service", apiVersion: "v1", namespace, name, uid, resourceVersion },
      reason,
      action,
      message,
      type: "Warning",
      source: {},
      eventTime: time.replace("Z", "000Z"),
      reportingComponent: reporter,
      reportingInstance: `${reporter}-${options.instance}`,
    });
  };
}
