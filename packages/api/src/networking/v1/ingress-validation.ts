import {
  type FieldError,
  type FieldPath,
  field,
  goSlice,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isValidIP,
  isValidPortName,
  isValidPortNum,
  isWildcardDns1123Subdomain,
} from "@orchernetes/apimachinery";
import type { TypedLocalObjectReference } from "../../core/v1/types/references.ts";
import { report, requireText } from "../../shared/report.ts";
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressTLS,
} from "./types.ts";

/** The annotation that named the class before the field existed. Both may be set if they are equal. */
export const ingressClassAnnotation = "orchernetes.io/ingress.class";

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

/**
 * Validates a new Ingress. The class is compared with its annotation only here: controllers of stored objects may
 * already rely on either.
 */
export function validateIngressCreate(ingress: Ingress): FieldError[] {
  const errors = validateIngress(ingress);
  const annotation = ingress.metadata.annotations?.[ingressClassAnnotation];
  const className = ingress.spec.ingressClassName;
  if (annotation !== undefined && className !== undefined && annotation !== className) {
    const path = field("annotations").child(ingressClassAnnotation);
    errors.push(field.invalid(path, annotation, "must match `ingressClassName` when both are specified"));
  }
  return errors;
}

/**
 * Validates an Ingress on creates and updates. Without rules, all requests go to the default backend, so one of them is
 * needed.
 */
export function validateIngress({ spec }: Ingress): FieldError[] {
  const path = field("spec");
  const rules = spec.rules ?? [];
  const errors: FieldError[] = [];
  if (rules.length === 0 && spec.defaultBackend === undefined) {
    errors.push(
      field.invalid(
        path,
        goSlice("networking.IngressRule", undefined),
        "either `defaultBackend` or `rules` must be specified",
      ),
    );
  }
  if (spec.defaultBackend !== undefined) {
    errors.push(...validateBackend(spec.defaultBackend, path.child("defaultBackend")));
  }
  errors.push(...rules.flatMap((rule, i) => validateRule(rule, path.child("rules").index(i))));
  errors.push(...(spec.tls ?? []).flatMap((tls, i) => validateTls(tls, path.child("tls").index(i))));
  return [...errors, ...validateClassName(spec, path)];
}

/** Validates the name of the class. Whether the class exists is not checked. */
function validateClassName({ ingressClassName }: IngressSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (ingressClassName !== undefined) {
    report(errors, isDns1123Subdomain(ingressClassName), path, "ingressClassName", ingressClassName);
  }
  return errors;
}

/** Returns the errors of a host. A wildcard is allowed as the first label only: `*.example.com`. */
function hostErrors(host: string): readonly string[] {
  return host.includes("*") ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);
}

/**
 * Validates a rule. Its host must be a name: rules select virtual hosts, and RFC 3986 distinguishes names from IP
 * addresses.
 */
function validateRule(rule: IngressRule, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const host = rule.host ?? "";
  if (host !== "") {
    if (isValidIP(host).length === 0) {
      errors.push(field.invalid(path.child("host"), host, "must be a DNS name, not an IP address"));
    }
    report(errors, hostErrors(host), path, "host", host);
  }
  if (rule.http === undefined || rule.http === null) {
    return errors;
  }
  const at = path.child("http", "paths");
  if (rule.http.paths.length === 0) {
    errors.push(field.required(at));
  }
  return [...errors, ...rule.http.paths.flatMap((one, i) => validatePath(one, at.index(i)))];
}

/**
 * Validates a path. With ImplementationSpecific, the controller decides what a path means, so it need not be
 * normalized.
 */
function validatePath(rule: HTTPIngressPath, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const text = rule.path ?? "";
  const at = path.child("path");
  switch (rule.pathType as string | null | undefined) {
    case undefined:
    case null:
      errors.push(field.required(path.child("pathType"), "pathType must be specified"));
      break;
    case "Exact":
    case "Prefix":
      errors.push(...validateLiteralPath(text, at));
      break;
    case "ImplementationSpecific":
      if (text !== "" && !text.startsWith("/")) {
        errors.push(field.invalid(at, text, "must be an absolute path"));
      }
      break;
    default:
      errors.push(field.notSupported(path.child("pathType"), rule.pathType, pathTypes));
  }
  return [...errors, ...validateBackend(rule.backend, path.child("backend"))];
}

/**
 * Validates a path of type Exact or Prefix: absolute and normalized. With `//`, `/../` or escaped slashes, proxies and
 * services could disagree about which path is meant.
 */
function validateLiteralPath(text: string, path: FieldPath): FieldError[] {
  const invalid = (detail: string): FieldError => field.invalid(path, text, detail);
  const errors = text.startsWith("/") ? [] : [invalid("must be an absolute path")];
  for (const sequence of ["//", "/./", "/../", "%2f", "%2F"]) {
    if (text.includes(sequence)) {
      errors.push(invalid(`must not contain '${sequence}'`));
    }
  }
  for (const end of ["/..", "/."]) {
    if (text.endsWith(end)) {
      errors.push(invalid(`cannot end with '${end}'`));
    }
  }
  return errors;
}

/** Validates a backend: a service or a resource. */
function validateBackend({ service, resource }: IngressBackend, path: FieldPath): FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [field.invalid(path, "", "cannot set both resource and service backends")];
  }
  if (resource !== undefined) {
    return validateTypedReference(resource, path.child("resource"));
  }
  return service === undefined
    ? [field.invalid(path, "", "resource or service backend is required")]
    : validateService(service, path);
}

/** Validates a service backend: its port is given by name or by number, not by both. */
function validateService(service: IngressServiceBackend, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const at = path.child("service");
  if (requireText(errors, service.name, at, "name")) {
    report(errors, isDns1035Label(service.name), at, "name", service.name);
  }
  const { name = "", number = 0 } = service.port;
  const port = at.child("port");
  if (name !== "" && number !== 0) {
    errors.push(field.invalid(path, "", "cannot set both port name & port number"));
  } else if (name !== "") {
    report(errors, isValidPortName(name), port, "name", name);
  } else if (number !== 0) {
    report(errors, isValidPortNum(number), port, "number", number);
  } else {
    errors.push(field.required(path, "port name or number is required"));
  }
  return errors;
}

/** Validates a reference to an object of any kind in the same namespace. */
export function validateTypedReference(
  reference: Pick<TypedLocalObjectReference, "apiGroup" | "kind" | "name">,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const { apiGroup } = reference;
  if (apiGroup !== undefined) {
    const messages = isDns1123Subdomain(apiGroup).map((message) => `APIGroup: ${message}`);
    report(errors, messages, path, "apiGroup", apiGroup);
  }
  for (const part of ["kind", "name"] as const) {
    if (requireText(errors, reference[part], path, part)) {
      report(errors, isPathSegmentName(reference[part]), path, part, reference[part]);
    }
  }
  return errors;
}

/** Validates a TLS entry. Whether the secret exists, and is for these hosts, is up to the controller. */
function validateTls(tls: IngressTLS, path: FieldPath): FieldError[] {
  const errors = (tls.hosts ?? []).flatMap((host, i) =>
    hostErrors(host).map((message) => field.invalid(path.child("hosts").index(i), host, message)),
  );
  const secret = tls.secretName ?? "";
  if (secret !== "") {
    report(errors, isDns1123Subdomain(secret), path, "secretName", secret);
  }
  return errors;
}

/** Validates an Ingress's status. */
export function validateIngressStatus({ status }: Ingress): FieldError[] {
  const path = field("status").child("loadBalancer", "ingress");
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip = "", hostname = "" }, i) => {
    const errors: FieldError[] = [];
    if (ip !== "" && isValidIP(ip).length > 0) {
      errors.push(field.invalid(path.index(i).child("ip"), ip, "must be a valid IP address"));
    }
    if (hostname !== "") {
      report(errors, isDns1123Subdomain(hostname), path.index(i), "hostname", hostname);
      if (isValidIP(hostname).length === 0) {
        const detail = "must be a DNS name, not an IP address";
        errors.push(field.invalid(path.index(i).child("hostname"), hostname, detail));
      }
    }
    return errors;
  });
}
