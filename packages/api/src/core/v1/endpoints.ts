import {
  type Draft,
  defineResource,
  enumeration,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  int32,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidIP,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { age, column, name, orNone } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { inRange } from "../../shared/numbers.ts";
import { report, requireOneOf } from "../../shared/report.ts";
import { ObjectReference } from "./types/references.ts";
import { validateNonSpecialIP } from "./validation/addresses.ts";
import { portProtocols } from "./validation/container-ports.ts";

const pkg = "core/v1";

/** The addresses of the Service of the same name, at most 1000. EndpointSlices hold the same and scale better. */
export const Endpoints = object(pkg, "Endpoints", () => ({
  metadata: value(1, ObjectMeta),
  subsets: optional(2, list(EndpointSubset)),
}));
export interface Endpoints extends Infer<typeof Endpoints> {}

/** Addresses that share a set of ports. Each address combined with each port is an endpoint. */
export const EndpointSubset = message(pkg, "EndpointSubset", () => ({
  addresses: optional(1, list(EndpointAddress)),
  notReadyAddresses: optional(2, list(EndpointAddress)),
  ports: optional(3, list(EndpointPort)),
}));
export interface EndpointSubset extends Infer<typeof EndpointSubset> {}

/** One address behind a service. */
export const EndpointAddress = message(
  pkg,
  "EndpointAddress",
  () => ({
    ip: required(1, string),
    hostname: optional(3, string),
    nodeName: pointer(4, string),
    targetRef: pointer(2, ObjectReference),
  }),
  { atomic: true },
);
export interface EndpointAddress extends Infer<typeof EndpointAddress> {}

/** One port behind a service. */
export const EndpointPort = message(
  pkg,
  "EndpointPort",
  () => ({
    name: optional(1, string),
    port: required(2, int32),
    protocol: optional(3, enumeration("TCP", "UDP", "SCTP")),
    appProtocol: pointer(4, string),
  }),
  { atomic: true },
);
export interface EndpointPort extends Infer<typeof EndpointPort> {}

export const EndpointsList = object(pkg, "EndpointsList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Endpoints)),
}));
export interface EndpointsList extends Infer<typeof EndpointsList> {}

/**
 * Validates endpoints: every subset has addresses, and named ports if there are several.
 *
 * Addresses must not be loopback, link-local or multicast: a service that forwards to them would give its clients
 * access to the node itself.
 */
export function validateEndpoints({ subsets = [] }: Endpoints): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, { addresses = [], notReadyAddresses = [], ports = [] }] of subsets.entries()) {
    const path = field("subsets").index(i);
    if (addresses.length === 0 && notReadyAddresses.length === 0) {
      errors.push(field.required(path, "must specify `addresses` or `notReadyAddresses`"));
    }
    for (const [j, address] of addresses.entries()) {
      validateAddress(address, path.child("addresses").index(j), errors);
    }
    for (const [j, address] of notReadyAddresses.entries()) {
      validateAddress(address, path.child("notReadyAddresses").index(j), errors);
    }
    for (const [j, port] of ports.entries()) {
      validatePort(port, ports.length > 1, path.child("ports").index(j), errors);
    }
  }
  return errors;
}

function validateAddress({ ip, hostname, nodeName }: EndpointAddress, path: FieldPath, errors: FieldError[]): void {
  const messages = isValidIP(ip ?? "");
  report(errors, messages, path, "ip", ip ?? "");
  if (hostname) {
    report(errors, isDns1123Label(hostname), path, "hostname", hostname);
  }
  if (nodeName !== undefined) {
    report(errors, isDns1123Subdomain(nodeName), path, "nodeName", nodeName);
  }
  if (messages.length === 0) {
    errors.push(...validateNonSpecialIP(ip, path.child("ip")));
  }
}

function validatePort(port: EndpointPort, requireName: boolean, path: FieldPath, errors: FieldError[]): void {
  if (port.name) {
    report(errors, isDns1123Label(port.name), path, "name", port.name);
  } else if (requireName) {
    errors.push(field.required(path.child("name")));
  }
  errors.push(...inRange(port.port ?? 0, 1, 65535, path.child("port")));
  if (port.protocol) {
    requireOneOf(errors, port.protocol, portProtocols, path, "protocol");
  } else {
    errors.push(field.required(path.child("protocol")));
  }
  if (port.appProtocol !== undefined) {
    report(errors, isQualifiedName(port.appProtocol), path, "appProtocol", port.appProtocol);
  }
}

const shownEndpoints = 3;

function applyDefaults({ subsets }: Draft<Endpoints>): void {
  for (const { ports } of subsets ?? []) {
    for (const port of ports ?? []) {
      port.protocol ||= "TCP";
    }
  }
}

/** The first addresses, each with each port. */
function summary({ subsets = [] }: Endpoints): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  const more = all.length - shownEndpoints;
  return orNone(all.slice(0, shownEndpoints).join(",") + (more > 0 ? ` + ${more} more...` : ""));
}

/** `v1` endpoints: the addresses behind a service. */
export const endpoints = defineResource<Endpoints>({
  group: "",
  version: "v1",
  kind: "Endpoints",
  plural: "endpoints",
  singular: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Endpoints,
  listKind: "EndpointsList",
  storagePrefix: "/registry/services/endpoints",
  applyDefaults,
  strategy: { validate: validateEndpoints, validateUpdate: validateEndpoints, allowCreateOnUpdate: true },
  columns: [name(), column("Endpoints", "string", "First addresses with their ports.", summary), age()],
});
