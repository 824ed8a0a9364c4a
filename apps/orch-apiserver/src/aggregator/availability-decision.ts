import type { apiregistration, core } from "@orchernetes/api";
import { findCondition } from "@orchernetes/component-helpers";
import { messageOf } from "@orchernetes/kernel";
import type { RemoteApiService } from "./api-service-table.ts";
import { readyEndpoints } from "./service-resolver.ts";

/** The state of condition `Available`, in upstream's words (`available_controller.go`). */
export interface Verdict {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The result of reading an object, which is undefined if it does not exist. */
export type Found<T> = { readonly object: T | undefined } | { readonly error: unknown };

/** The server is available. */
export const passed: Verdict = { status: "True", reason: "Passed", message: "all checks passed" };

/** The group version is served by this server itself. */
export const local: Verdict = {
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

/** The server cannot be reached, or its response is not successful. */
export const failedDiscovery = (error: unknown): Verdict => ({
  status: "False",
  reason: "FailedDiscoveryCheck",
  message: messageOf(error),
});

/**
 * Decides by the Service and the Endpoints of an APIService whether its server can be available. Returns undefined if they show no problem,
 * so that the server itself must be asked. Pure.
 */
export function decideAvailability(
  { service: { namespace, name, port } }: RemoteApiService,
  service: Found<core.Service>,
  endpoints: Found<core.Endpoints>,
): Verdict | undefined {
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const no = (reason: string, message: string): Verdict => ({ status: "False", reason, message });
  const unknown = (reason: string, error: unknown): Verdict => ({
    status: "Unknown",
    reason,
    message: `${where} cannot be checked due to: ${messageOf(error)}`,
  });
  if ("error" in service) return unknown("ServiceAccessError", service.error);
  if (service.object === undefined) return no("ServiceNotFound", `${where} is not present`);
  const { spec } = service.object;
  // Only services of type ClusterIP are checked for ports and endpoints, as upstream.
  if ((spec.type ?? "ClusterIP") !== "ClusterIP") return undefined;
  const listening = spec.ports?.find((one) => one.port === port);
  if (listening === undefined) return no("ServicePortError", `${where} is not listening on port ${port}`);
  if ("error" in endpoints) return unknown("EndpointsAccessError", endpoints.error);
  if (endpoints.object === undefined) return no("EndpointsNotFound", `cannot find endpoints for ${where}`);
  const portName = listening.name ?? "";
  if (readyEndpoints(endpoints.object, portName).length > 0) return undefined;
  const detail = `have no addresses with port name ${JSON.stringify(portName)}`;
  return no("MissingEndpoints", `endpoints for ${where} ${detail}`);
}

/** Whether the stored condition differs from a verdict, so that it must be written. */
export function differs(apiService: apiregistration.APIService, { status, reason, message }: Verdict): boolean {
  const stored = findCondition(apiService.status.conditions, "Available");
  return stored?.status !== status || stored.reason !== reason || stored.message !== message;
}

/** Returns the conditions with `Available` set to a verdict. The transition time changes only with the status. */
export function withVerdict(
  conditions: readonly apiregistration.APIServiceCondition[],
  { status, reason, message }: Verdict,
  now: Date,
): apiregistration.APIServiceCondition[] {
  const stored = findCondition(conditions, "Available");
  const same = stored?.status === status ? stored.lastTransitionTime : undefined;
  const lastTransitionTime = same ?? now.toISOString().replace(/\.\d+Z$/, "Z");
  const condition = { type: "Available", status, lastTransitionTime, reason, message };
  return stored === undefined
    ? [...conditions, condition]
    : conditions.map((other) => (other === stored ? condition : other));
}
