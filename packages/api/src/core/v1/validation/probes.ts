import { type FieldError, type FieldPath, field, isHttpHeaderName, isValidPortName } from "@orchernetes/apimachinery";
import { inRange, nonNegative, positive } from "../../../shared/numbers.ts";
import { requireText } from "../../../shared/report.ts";
import type { Lifecycle, LifecycleHandler, Probe, ProbeHandler } from "../types/probe.ts";

const schemes: readonly string[] = ["HTTP", "HTTPS"];
const thresholds = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

/**
 * Purpose of a probe. A failing liveness or startup probe restarts the container, a failing readiness probe only takes
 * the pod out of the endpoints of services.
 */
export type ProbeUse = "liveness" | "readiness" | "startup";

/**
 * Validates a probe. A grace period (KEP-2238) is not allowed for readiness probes, which never stop the container; a
 * success threshold other than 1 is only allowed for them.
 */
export function validateProbe(probe: Probe | undefined, use: ProbeUse, path: FieldPath, errors: FieldError[]): void {
  if (probe === undefined) {
    return;
  }
  validateHandler(probe, path, errors);
  for (const name of thresholds) {
    const value = probe[name];
    if (value !== undefined && value < 0) {
      errors.push(...nonNegative(value, path.child(name)));
    }
  }
  const grace = probe.terminationGracePeriodSeconds;
  errors.push(...positive(grace, path.child("terminationGracePeriodSeconds")));
  if (use === "readiness") {
    if (grace !== undefined) {
      errors.push(
        field.invalid(path.child("terminationGracePeriodSeconds"), grace, "must not be set for readinessProbes"),
      );
    }
    return;
  }
  if ((probe.successThreshold ?? 1) !== 1) {
    errors.push(field.invalid(path.child("successThreshold"), probe.successThreshold, "must be 1"));
  }
}

/** Validates the lifecycle hooks of a container. */
export function validateLifecycle(lifecycle: Lifecycle, path: FieldPath, errors: FieldError[]): void {
  for (const name of ["postStart", "preStop"] as const) {
    const handler = lifecycle[name];
    if (handler !== undefined) {
      validateHandler(handler, path.child(name), errors);
    }
  }
}

/**
 * Validates that exactly one handler is set. Only the first is validated further; the others are reported as forbidden.
 */
function validateHandler(handler: ProbeHandler | LifecycleHandler, path: FieldPath, errors: FieldError[]): void {
  let first = true;
  const only = (name: string): boolean => {
    if (!first) {
      errors.push(field.forbidden(path.child(name), "may not specify more than 1 handler type"));
      return false;
    }
    first = false;
    return true;
  };
  if (handler.exec !== undefined && only("exec") && (handler.exec.command ?? []).length === 0) {
    errors.push(field.required(path.child("exec", "command")));
  }
  if (handler.httpGet !== undefined && only("httpGet")) {
    validateHttpGet(handler.httpGet, path.child("httpGet"), errors);
  }
  if (handler.tcpSocket !== undefined && only("tcpSocket")) {
    validatePort(handler.tcpSocket.port, path.child("tcpSocket", "port"), errors);
  }
  const grpc = "grpc" in handler ? handler.grpc : undefined;
  if (grpc !== undefined && only("grpc")) {
    errors.push(...inRange(grpc.port, 1, 65535, path.child("grpc", "port")));
  }
  if (first) {
    errors.push(field.required(path, "must specify a handler type"));
  }
}

/** Validates an HTTP request. The host is not validated. */
function validateHttpGet(action: NonNullable<ProbeHandler["httpGet"]>, path: FieldPath, errors: FieldError[]): void {
  requireText(errors, action.path, path, "path");
  validatePort(action.port, path.child("port"), errors);
  if (!schemes.includes(action.scheme ?? "")) {
    errors.push(field.notSupported(path.child("scheme"), action.scheme ?? "", schemes));
  }
  for (const { name } of action.httpHeaders ?? []) {
    for (const message of isHttpHeaderName(name ?? "")) {
      errors.push(field.invalid(path.child("httpHeaders"), name ?? "", message));
    }
  }
}

/**
 * Validates a port: a number from 1 to 65535, or the name of a container port. Whether a container has a port of that
 * name is not checked.
 */
export function validatePort(port: number | string, path: FieldPath, errors: FieldError[]): void {
  if (typeof port === "string") {
    for (const message of isValidPortName(port)) {
      errors.push(field.invalid(path, port, message));
    }
  } else {
    errors.push(...inRange(port ?? 0, 1, 65535, path));
  }
}
