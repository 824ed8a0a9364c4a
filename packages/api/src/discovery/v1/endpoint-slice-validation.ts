import {
  type FieldError,
  type FieldPath,
  field,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidIP,
  isValidIPv4,
  isValidIPv6,
  parseIp,
  validateLabelName,
  validateLabels,
} from "@orchernetes/apimachinery";
import { immutable } from "../../shared/immutable.ts";
import { report } from "../../shared/report.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "./types.ts";

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const protocols = ["SCTP", "TCP", "UDP"];
// A slice is sent as a whole to every node whenever one of its endpoints changes. The limits bound its size (KEP-752).
const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20000;
const maxTopologyLabels = 16;
const maxZoneHints = 8;

/**
 * Validates an EndpointSlice. All addresses of a slice have the same type; dual-stack services have one slice per
 * family.
 */
export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  return [
    ...validateAddressType(slice.addressType),
    ...validateEndpoints(slice.endpoints ?? [], slice.addressType, field("endpoints")),
    ...validatePorts(slice.ports ?? [], field("ports")),
  ];
}

/** Validates an update of an EndpointSlice. The address type is immutable. */
export function validateEndpointSliceUpdate(slice: EndpointSlice, old: EndpointSlice): FieldError[] {
  return [...validateEndpointSlice(slice), ...immutable(slice.addressType, old.addressType, "addressType")];
}

function validateAddressType(type: string): FieldError[] {
  if (type === "" || type === undefined) {
    return [field.required("addressType")];
  }
  return addressTypes.includes(type) ? [] : [field.notSupported("addressType", type, addressTypes)];
}

function validateEndpoints(endpoints: readonly Endpoint[], addressType: string, path: FieldPath): FieldError[] {
  if (endpoints.length > maxEndpoints) {
    return [field.tooMany(path, endpoints.length, maxEndpoints)];
  }
  return endpoints.flatMap((endpoint, i) => validateEndpoint(endpoint, addressType, path.index(i)));
}

/** Validates one endpoint: addresses of the slice's type, and its references. */
function validateEndpoint(endpoint: Endpoint, addressType: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const addresses = endpoint.addresses ?? [];
  const at = path.child("addresses");
  if (addresses.length === 0) {
    errors.push(field.required(at, "must contain at least 1 address"));
  } else if (addresses.length > maxAddresses) {
    errors.push(field.tooMany(at, addresses.length, maxAddresses));
  }
  for (const [i, address] of addresses.entries()) {
    errors.push(...validateAddress(address, addressType, at.index(i)));
  }
  if (endpoint.nodeName !== undefined) {
    report(errors, isDns1123Subdomain(endpoint.nodeName), path, "nodeName", endpoint.nodeName);
  }
  const topology = endpoint.deprecatedTopology ?? {};
  const topologyPath = path.child("deprecatedTopology");
  if (Object.keys(topology).length > maxTopologyLabels) {
    errors.push(field.tooMany(topologyPath, Object.keys(topology).length, maxTopologyLabels));
  }
  errors.push(...validateLabels(topology, topologyPath));
  if (Object.hasOwn(topology, "orchernetes.io/hostname")) {
    const detail = "may not be used as a topology label, use nodeName instead";
    errors.push(field.invalid(topologyPath.key("orchernetes.io/hostname"), "orchernetes.io/hostname", detail));
  }
  if (endpoint.hostname !== undefined) {
    report(errors, isDns1123Label(endpoint.hostname), path, "hostname", endpoint.hostname);
  }
  return [...errors, ...validateHints(endpoint, path)];
}

/** Validates topology hints: a limited number of zones, each once (KEP-2433). */
function validateHints({ hints }: Endpoint, path: FieldPath): FieldError[] {
  const zones = hints?.forZones ?? [];
  const at = path.child("hints", "forZones");
  if (zones.length > maxZoneHints) {
    return [field.tooMany(at, zones.length, maxZoneHints)];
  }
  const seen = new Set<string>();
  return zones.flatMap(({ name }, i) => {
    const namePath = at.index(i).child("name");
    const errors: FieldError[] = seen.has(name) ? [field.duplicate(namePath, name)] : [];
    seen.add(name);
    return [...errors, ...validateLabelName(name, namePath)];
  });
}

function validateAddress(address: string, addressType: string, path: FieldPath): FieldError[] {
  const invalid = (messages: readonly string[]): FieldError[] =>
    messages.map((message) => field.invalid(path, address, message));
  switch (addressType) {
    case "IPv4":
      return isValidIPv4(address).length > 0 ? invalid(isValidIPv4(address)) : nonSpecialAddress(address, path);
    case "IPv6":
      return isValidIPv6(address).length > 0 ? invalid(isValidIPv6(address)) : nonSpecialAddress(address, path);
    case "FQDN":
      return invalid(isDns1123Subdomain(address));
    default:
      return [];
  }
}

/**
 * Validates that an address is not special (loopback, link-local): traffic to it would reach the sending node itself.
 */
function nonSpecialAddress(address: string, path: FieldPath): FieldError[] {
  const bytes = parseIp(address);
  if (bytes === undefined) {
    return isValidIP(address).map((message) => field.invalid(path, address, message));
  }
  const [first = 0, second = 0, third = 0] = bytes;
  const invalid = (detail: string): FieldError[] => [field.invalid(path, address, detail)];
  if (bytes.every((byte) => byte === 0)) {
    return invalid(`may not be unspecified (${address})`);
  }
  if (bytes.length === 4) {
    if (first === 127) {
      return invalid("may not be in the loopback range (127.0.0.0/8, ::1/128)");
    }
    if (first === 169 && second === 254) {
      return invalid("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    }
    return first === 224 && second === 0 && third === 0
      ? invalid("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
      : [];
  }
  if (bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1) {
    return invalid("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (first === 0xfe && (second & 0xc0) === 0x80) {
    return invalid("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  return first === 0xff && (second & 0x0f) === 2
    ? invalid("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
    : [];
}

function validatePorts(ports: readonly EndpointPort[], path: FieldPath): FieldError[] {
  if (ports.length > maxPorts) {
    return [field.tooMany(path, ports.length, maxPorts)];
  }
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const at = path.index(i);
    const errors: FieldError[] = [];
    const name = port.name ?? "";
    if (name !== "") {
      report(errors, isDns1123Label(name), at, "name", name);
    }
    if (names.has(name)) {
      errors.push(field.duplicate(at.child("name"), name));
    }
    names.add(name);
    if (port.protocol === undefined || (port.protocol as string) === "") {
      errors.push(field.required(at.child("protocol")));
    } else if (!protocols.includes(port.protocol)) {
      errors.push(field.notSupported(at.child("protocol"), port.protocol, protocols));
    }
    if (port.appProtocol !== undefined) {
      report(errors, isQualifiedName(port.appProtocol), at, "appProtocol", port.appProtocol);
    }
    return errors;
  });
}
