import { type FieldError, type FieldPath, field, isValidPortName } from "@orchernetes/apimachinery";
import { inRange } from "../../../shared/numbers.ts";
import { report, requireOneOf } from "../../../shared/report.ts";
import type { Container, ContainerPort } from "../types/container.ts";

/** Protocols of ports, in the order of messages. */
export const portProtocols: readonly string[] = ["SCTP", "TCP", "UDP"];

/** Validates the ports of a container: numbers in range, names unique. */
export function validateContainerPorts(
  ports: readonly ContainerPort[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (ports === undefined) {
    return;
  }
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    if (port.name) {
      const messages = isValidPortName(port.name);
      if (messages.length > 0) {
        report(errors, messages, path.index(i), "name", port.name);
      } else if (names.has(port.name)) {
        errors.push(field.duplicate(path.index(i).child("name"), port.name));
      }
      names.add(port.name);
    }
    if (!port.containerPort) {
      errors.push(field.required(path.index(i).child("containerPort")));
    } else if (port.containerPort < 1 || port.containerPort > 65535) {
      errors.push(...inRange(port.containerPort, 1, 65535, path.index(i).child("containerPort")));
    }
    if (port.hostPort && (port.hostPort < 1 || port.hostPort > 65535)) {
      errors.push(...inRange(port.hostPort, 1, 65535, path.index(i).child("hostPort")));
    }
    if (!port.protocol) {
      errors.push(field.required(path.index(i).child("protocol")));
    } else if (!portProtocols.includes(port.protocol)) {
      requireOneOf(errors, port.protocol, portProtocols, path.index(i), "protocol");
    }
  }
}

/**
 * Validates that each host port, with its protocol and address, occurs once among containers that run at the same time.
 */
export function validateHostPortConflicts(
  containers: readonly Pick<Container, "ports">[],
  path: FieldPath,
  errors: FieldError[],
): void {
  let seen: Set<string> | undefined;
  for (const [i, { ports }] of containers.entries()) {
    for (const [j, port] of (ports ?? []).entries()) {
      if (!port.hostPort) {
        continue;
      }
      const key = `${port.protocol ?? ""}/${port.hostIP ?? ""}/${port.hostPort}`;
      seen ??= new Set();
      if (seen.has(key)) {
        errors.push(field.duplicate(path.index(i).child("ports").index(j).child("hostPort"), key));
      }
      seen.add(key);
    }
  }
}

/** Validates that host ports equal container ports, for pods in the host's network. */
export function validateHostNetworkPorts(
  containers: readonly Container[],
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, { ports }] of containers.entries()) {
    for (const [j, port] of (ports ?? []).entries()) {
      if (port.hostPort !== port.containerPort) {
        const at = path.index(i).child("ports").index(j).child("containerPort");
        errors.push(field.invalid(at, port.containerPort, "must match `hostPort` when `hostNetwork` is true"));
      }
    }
  }
}
