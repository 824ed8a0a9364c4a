import { type FieldError, type FieldPath, field, isDns1123Subdomain, literal } from "@orchernetes/apimachinery";
import { semanticEqual } from "../../shared/immutable.ts";
import { repeatedItems } from "../../shared/repeated.ts";
import { pemBlocks } from "./pem.ts";
import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
} from "./types.ts";

// Upstream's limit: a domain (253 characters), `/`, and a path of the form `NAMESPACE.NAME` (63 + 1 + 253).
const maxSignerNameLength = 571;
// KEP-2784. Shorter lifetimes would not tolerate clock skew and slow approval.
const minExpirationSeconds = 600;
const legacySigner = "orchernetes.io/legacy-unknown";
const finalConditions = ["Approved", "Denied", "Failed"];
const statuses = ["False", "True", "Unknown"];

/** Key usages that the schema lists. */
function knownUsages(): readonly string[] {
  const { schema } = CertificateSigningRequestSpec.fields().usages ?? {};
  return schema?.kind === "list" && schema.item.kind === "string" ? (schema.item.values ?? []) : [];
}

/** Validates a new CertificateSigningRequest. The spec is immutable, so it is validated only here. */
export function validateSigningRequest(request: CertificateSigningRequest): FieldError[] {
  const { spec } = request;
  const path = field("spec");
  const errors = [
    ...validateRequestPem(spec.request, path.child("request")),
    ...validateUsages(spec.usages ?? [], path.child("usages")),
    ...validateSignerName(spec.signerName, path.child("signerName")),
  ];
  if (spec.expirationSeconds !== undefined && spec.expirationSeconds < minExpirationSeconds) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)";
    errors.push(field.invalid(path.child("expirationSeconds"), spec.expirationSeconds, detail));
  }
  return [...errors, ...validateConditions(request.status.conditions ?? [], field("status").child("conditions"))];
}

const printBytes = (bytes: Uint8Array): unknown =>
  literal(`[]byte{${[...bytes].map((byte) => `0x${byte.toString(16)}`).join(", ")}}`);

/** Validates that the request is PEM of one PKCS #10 structure (RFC 2986). Signers validate its content. */
function validateRequestPem(base64: string | null, path: FieldPath): FieldError[] {
  const bytes = Buffer.from(base64 ?? "", "base64");
  const [block] = pemBlocks(bytes.toString("latin1"));
  if (block === undefined || block.label !== "CERTIFICATE REQUEST") {
    return [field.invalid(path, printBytes(bytes), "PEM block type must be CERTIFICATE REQUEST")];
  }
  return isDerSequence(block.bytes)
    ? []
    : [field.invalid(path, printBytes(bytes), "asn1: structure error: the request is not one DER sequence")];
}

/** Whether bytes are exactly one DER sequence: its length is that of the rest. */
function isDerSequence(der: Uint8Array): boolean {
  const [tag, first = 0] = der;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (tag !== 0x30 || lengthBytes > 4 || der.length < 2 + lengthBytes) {
    return false;
  }
  const length =
    lengthBytes === 0 ? first : der.subarray(2, 2 + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
  return der.length === 2 + lengthBytes + length;
}

/** Validates key usages: at least one, each once. */
function validateUsages(usages: readonly string[], path: FieldPath): FieldError[] {
  if (usages.length === 0) {
    return [field.required(path, "usages is required")];
  }
  const known = knownUsages();
  const repeated = repeatedItems(usages, (usage) => usage);
  return usages.flatMap((usage, i) => {
    const errors: FieldError[] = [];
    if (!known.includes(usage)) {
      errors.push(field.notSupported(path.index(i), usage, [...known].sort()));
    }
    if (repeated.has(i)) {
      errors.push(field.duplicate(path.index(i), usage));
    }
    return errors;
  });
}

/** Validates the name of a signer, which has the form `domain/name`. The domain identifies who operates the signer. */
export function validateSignerName(name: string, path: FieldPath): FieldError[] {
  if (name === "") {
    return [field.required(path)];
  }
  const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
  const [domain = "", signer, ...rest] = name.split("/");
  if (signer === undefined || rest.length > 0) {
    return [field.invalid(path, name, form)];
  }
  const errors: FieldError[] = [];
  const messages = isDns1123Subdomain(domain);
  if (messages.length > 0) {
    errors.push(field.invalid(path, domain, `validating label "${domain}": ${messages.join(",")}`));
  } else if (!domain.includes(".")) {
    errors.push(field.invalid(path, domain, "should be a domain with at least two segments separated by dots"));
  }
  for (const message of isDns1123Subdomain(signer)) {
    errors.push(field.invalid(path, signer, `validating label "${signer}": ${message}`));
  }
  if (name.length > maxSignerNameLength) {
    errors.push(field.tooLong(path, name, maxSignerNameLength));
  }
  if (name === legacySigner) {
    errors.push(field.invalid(path, name, "the legacy signerName is not allowed via this API version"));
  }
  return errors;
}

/**
 * Validates conditions. A decision is final and is therefore always True; a request cannot be both approved and denied.
 */
function validateConditions(conditions: readonly CertificateSigningRequestCondition[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const types = new Set<string>();
  for (const [i, { type, status }] of conditions.entries()) {
    const at = path.index(i);
    if (type === "") {
      errors.push(field.required(at.child("type")));
    }
    if ((status as string) === "") {
      errors.push(field.required(at.child("status")));
    } else if (!statuses.includes(status)) {
      errors.push(field.notSupported(at.child("status"), status, statuses));
    }
    if (finalConditions.includes(type) && status !== "True") {
      errors.push(field.notSupported(at.child("status"), status, ["True"]));
    }
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (opposite !== undefined && types.has(opposite)) {
      errors.push(field.invalid(at.child("type"), type, `${opposite} and ${type} conditions are mutually exclusive`));
    }
    if (types.has(type)) {
      errors.push(field.duplicate(at.child("type"), type));
    }
    types.add(type);
  }
  return errors;
}

/** The rules of an endpoint: which of the final conditions it may add. No endpoint may remove one. */
interface ConditionRules {
  readonly mayAdd: readonly string[];
}

/** Validates an update of a CertificateSigningRequest by the rules of its endpoint. */
export function validateSigningRequestUpdate(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  rules: ConditionRules,
): FieldError[] {
  const path = field("status").child("conditions");
  const conditions = request.status.conditions ?? [];
  const before = old.status.conditions ?? [];
  const errors = validateConditions(conditions, path);
  for (const type of finalConditions) {
    const now = conditions.filter((condition) => condition.type === type);
    const then = before.filter((condition) => condition.type === type);
    if (now.length < then.length) {
      errors.push(field.forbidden(path, `updates may not remove a condition of type "${type}"`));
    } else if (now.length > then.length && !rules.mayAdd.includes(type)) {
      errors.push(field.forbidden(path, `updates may not add a condition of type "${type}"`));
    }
  }
  return errors;
}

/** Validates the certificate: it is set once, and is PEM of certificates only. */
export function validateCertificate(request: CertificateSigningRequest, old: CertificateSigningRequest): FieldError[] {
  const path = field("status").child("certificate");
  const { certificate } = request.status;
  if (semanticEqual(certificate, old.status.certificate)) {
    return [];
  }
  if ((old.status.certificate ?? "") !== "") {
    return [field.forbidden(path, "field is immutable")];
  }
  const bytes = Buffer.from(certificate ?? "", "base64");
  const blocks = pemBlocks(bytes.toString("latin1"));
  if (blocks.length === 0) {
    return [field.invalid(path, "<certificate data>", "must contain at least one CERTIFICATE PEM block")];
  }
  const wrong = blocks.find(({ label }) => label !== "CERTIFICATE");
  return wrong === undefined
    ? []
    : [field.invalid(path, "<certificate data>", `only CERTIFICATE PEM blocks are allowed, found "${wrong.label}"`)];
}
