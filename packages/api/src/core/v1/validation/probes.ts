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

/** What a probe is for; liveness and startup need one success, and readiness never ends the container. */
export type ProbeUse = "liveness" | "readiness" | "startup";

/** A probe: one handler, thresholds that are not negative, and the rules of its use. */
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

/** Hooks of a container: one handler each. */
export function validateLifecycle(lifecycle: Lifecycle, path: FieldPath, errors: FieldError[]): void {
  for (const name of ["postStart", "preStop"] as const) {
    const handler = lifecycle[name];
    if (handler !== undefined) {
      validateHandler(handler, path.child(name), errors);
    }
  }
}

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

/** A port by number or by the name of a container port. */
export function validatePort(port: number | string, path: FieldPath, errors: FieldError[]): void {
  if (typeof port === "string") {
    for (const message of isValidPortName(port)) {
      errors.push(field.invalid(path, port, message));
    }
  } else {
    errors.push(...inRange(port ?? 0, 1, 65535, path));
  }
}
