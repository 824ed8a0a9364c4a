import { X509Certificate } from "node:crypto";
import { type FieldError, field, isDns1123Subdomain, type Path } from "@orchernetes/apimachinery";
import { validateSignerName } from "../v1/signing-request-validation.ts";
import { pemEntries } from "./pem-entries.ts";
import type { ClusterTrustBundle } from "./types/cluster-trust-bundle.ts";

const maxBundleBytes = 1024 * 1024;
const omitted = "<value omitted>";

function nameErrors(name: string, signerName: string): readonly string[] {
  if (signerName === "") {
    return name.includes(":")
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : isDns1123Subdomain(name);
  }
  const prefix = `${signerName.replaceAll("/", ":")}:`;
  return name.startsWith(prefix)
    ? isDns1123Subdomain(name.slice(prefix.length))
    : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

function anchorError(der: Uint8Array): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(der);
  } catch {
    return "does not parse as X.509";
  }
  return certificate.ca ? undefined : "does not have the CA bit set";
}

function validateBundle(text: string, path: Path): FieldError[] {
  const size = Buffer.byteLength(text);
  if (size > maxBundleBytes) return [field.tooLong(path, `<value omitted, len ${size}>`, maxBundleBytes)];
  const errors: FieldError[] = [];
  const invalid = (detail: string): unknown => errors.push(field.invalid(path, omitted, detail));
  const anchors = new Map<string, number[]>();
  for (const [i, { label, headers, bytes }] of pemEntries(text).entries()) {
    const error =
      label !== "CERTIFICATE" ? `has bad block type: ${label}` : headers ? "has PEM block headers" : anchorError(bytes);
    if (error !== undefined) invalid(`entry ${i} ${error}`);
    const key = Buffer.from(bytes).toString("base64");
    anchors.set(key, [...(anchors.get(key) ?? []), i]);
  }
  if (errors.length > 0) return errors;
  if (anchors.size === 0) invalid("at least one trust anchor must be provided");
  for (const entries of anchors.values()) {
    if (entries.length > 1) invalid(`duplicate trust anchor (indices [${entries.join(" ")}])`);
  }
  return errors;
}

/** Error list of a bundle; the anchors of one that is stored and did not change are taken as they are. */
export function validateTrustBundle(bundle: ClusterTrustBundle, old?: ClusterTrustBundle): FieldError[] {
  const { metadata, spec } = bundle;
  const signerName = spec.signerName ?? "";
  const path = field("spec");
  const name = metadata.name ?? "";
  return [
    ...nameErrors(name, signerName).map((message) => field.invalid("metadata.name", name, message)),
    ...(signerName === "" ? [] : validateSignerName(signerName, path.child("signerName"))),
    ...(old?.spec.trustBundle === spec.trustBundle ? [] : validateBundle(spec.trustBundle, path.child("trustBundle"))),
  ];
}
