import {
  type FieldError,
  type FieldPath,
  field,
  goStruct,
  isDns1123Label,
  isQualifiedName,
  literal,
} from "@orchernetes/apimachinery";
import { inRange } from "../../../shared/numbers.ts";
import { report, requireOneOf } from "../../../shared/report.ts";
import type { ServicePort, ServiceSpec } from "../types/service.ts";
import { portProtocols } from "./container-ports.ts";
import { validatePort } from "./probes.ts";

/**
 * Validates the ports of a service: named if there are several, each number once per protocol, node ports only for
 * types that have them.
 */
export function validateServicePorts(spec: ServiceSpec, path: FieldPath, errors: FieldError[]): void {
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    validateServicePort(port, ports.length > 1, names, path.index(i), errors);
  }
  if (spec.type === "ClusterIP") {
    for (const [i, { nodePort }] of ports.entries()) {
      if (nodePort) {
        errors.push(field.forbidden(path.index(i).child("nodePort"), "may not be used when `type` is 'ClusterIP'"));
      }
    }
  }
  validateUniqueness(ports, path, errors);
}

/** Validates one port. A name is required only if there are several ports, so that endpoints can refer to them. */
function validateServicePort(
  port: ServicePort,
  requireName: boolean,
  names: Set<string>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { name, protocol, appProtocol } = port;
  if (name) {
    report(errors, isDns1123Label(name), path, "name", name);
    if (names.has(name)) {
      errors.push(field.duplicate(path.child("name"), name));
    }
    names.add(name);
  } else if (requireName) {
    errors.push(field.required(path.child("name")));
  }
  errors.push(...inRange(port.port ?? 0, 1, 65535, path.child("port")));
  if (!protocol) {
    errors.push(field.required(path.child("protocol")));
  } else {
    requireOneOf(errors, protocol, portProtocols, path, "protocol");
  }
  validatePort(port.targetPort ?? 0, path.child("targetPort"), errors);
  if (appProtocol !== undefined) {
    report(errors, isQualifiedName(appProtocol), path, "appProtocol", appProtocol);
  }
}

/**
 * Validates that no two ports have the same protocol and number, or the same protocol and node port. TCP and UDP on one
 * number are distinct, as DNS needs. Duplicate numbers are reported after all node ports, in upstream's order.
 */
function validateUniqueness(ports: readonly ServicePort[], path: FieldPath, errors: FieldError[]): void {
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  const twins: FieldError[] = [];
  for (const [i, { protocol = "", port, nodePort }] of ports.entries()) {
    if (nodePort) {
      if (nodePorts.has(`${protocol}/${nodePort}`)) {
        errors.push(field.duplicate(path.index(i).child("nodePort"), nodePort));
      }
      nodePorts.add(`${protocol}/${nodePort}`);
    }
    if (numbers.has(`${protocol}/${port}`)) {
      twins.push(field.duplicate(path.index(i), shown(protocol, port)));
    }
    numbers.add(`${protocol}/${port}`);
  }
  errors.push(...twins);
}

/** The port as Go prints the struct; upstream quotes it in the error, with only these two fields set. */
function shown(protocol: string, port: number) {
  return goStruct("core.ServicePort", {
    Name: "",
    Protocol: protocol,
    AppProtocol: literal("(*string)(nil)"),
    Port: port,
    TargetPort: literal('intstr.IntOrString{Type:0, IntVal:0, StrVal:""}'),
    NodePort: 0,
  });
}
