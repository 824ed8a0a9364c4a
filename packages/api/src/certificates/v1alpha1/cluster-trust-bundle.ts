import { X509Certificate } from "node:crypto";
import {
  defineResource,
  type FieldError,
  field,
  type Infer,
  isDns1123Subdomain,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  type Path,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { column, name, orNone } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable } from "../../shared/immutable.ts";
import { pemEntries } from "../v1/pem.ts";
import { validateSignerName } from "../v1/signing-request-validation.ts";

const pkg = "certificates/v1alpha1";

/**
 * Trust anchors (root certificates) that workloads use, as one PEM text. The order of the certificates has no meaning.
 *
 * Source: KEP-3257.
 */
export const ClusterTrustBundle = object(pkg, "ClusterTrustBundle", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, ClusterTrustBundleSpec),
}));
export interface ClusterTrustBundle extends Infer<typeof ClusterTrustBundle> {}

/** Root certificates and the signer they belong to. */
export const ClusterTrustBundleSpec = message(pkg, "ClusterTrustBundleSpec", () => ({
  signerName: optional(1, string),
  trustBundle: required(2, string),
}));
export interface ClusterTrustBundleSpec extends Infer<typeof ClusterTrustBundleSpec> {}

export const ClusterTrustBundleList = object(pkg, "ClusterTrustBundleList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ClusterTrustBundle)),
}));
export interface ClusterTrustBundleList extends Infer<typeof ClusterTrustBundleList> {}

const maxBundleBytes = 1024 * 1024;
const omitted = "<value omitted>";

/**
 * Errors of a name. Bundles of a signer have its name as a prefix, so that permissions by name can be given per signer.
 */
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

/** The error of a certificate that cannot be a trust anchor; undefined if it can. */
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

/** Validates a bundle. Unchanged anchors of a stored one are accepted as they are. */
function validateTrustBundle(bundle: ClusterTrustBundle, old?: ClusterTrustBundle): FieldError[] {
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

/** `certificates.o8s.io/v1alpha1` bundles: trust anchors for the whole cluster, of one signer or of none. */
export const clusterTrustBundles = defineResource<ClusterTrustBundle>({
  group: "certificates.o8s.io",
  version: "v1alpha1",
  kind: "ClusterTrustBundle",
  plural: "clustertrustbundles",
  featureGate: "ClusterTrustBundle",
  singular: "clustertrustbundle",
  scope: "Cluster",
  verbs: allVerbs,
  schema: ClusterTrustBundle,
  storagePrefix: "/registry/clustertrustbundles",
  strategy: {
    // The form of the name depends on the signer, so validation checks both.
    nameFormat: "path",
    validate: (bundle) => validateTrustBundle(bundle),
    validateUpdate: (bundle, old) => [
      ...validateTrustBundle(bundle, old),
      ...immutable(bundle.spec.signerName ?? "", old.spec.signerName ?? "", field("spec", "signerName")),
    ],
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("SignerName", "string", "Signer whose certificates these verify.", ({ spec }) => orNone(spec.signerName)),
  ],
  fieldSelectors: ["spec.signerName"],
  selectableFields: ({ spec }) => ({ "spec.signerName": spec.signerName ?? "" }),
});
