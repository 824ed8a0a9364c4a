import {
  type FieldError,
  type FieldPath,
  field,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidIP,
} from "@orchernetes/apimachinery";
import { inRange } from "../../../shared/numbers.ts";
import { report, requireOneOf } from "../../../shared/report.ts";
import type { EndpointAddress, EndpointPort, Endpoints } from "../types/endpoints.ts";
import { validateNonSpecialIP } from "./addresses.ts";
import { portProtocols } from "./container-ports.ts";

/** Error list of endpoints: every subset has addresses, and named ports where there are several. */
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
