import type { CertificateRequest } from "@orchernetes/tls";
import { type SignerName, signerNames } from "./signing-request.ts";

const NODE_PREFIX = "system:node:";
const NODE_GROUP = "system:nodes";

type Names = Pick<CertificateRequest, "subject" | "altNames">;

/**
 * Why a signer refuses a request; undefined if it signs it. Source: the certificates API's built-in signers, whose rules for subjects,
 * alternative names and usages are those of 1.27.
 */
export function signerRefusal(signer: SignerName, request: Names, usages: readonly string[]): string | undefined {
  switch (signer) {
    case signerNames.orchletServing:
      return orchletServingRefusal(request, usages);
    case signerNames.orchletClient:
      return orchletClientRefusal(request, usages);
    case signerNames.apiServerClient:
      return apiServerClientRefusal(usages);
    default:
      // The signer of requests from before signers had names signs everything.
      return undefined;
  }
}

function orchletServingRefusal({ subject, altNames }: Names, usages: readonly string[]): string | undefined {
  const { dnsNames, ipAddresses, emailAddresses, uris } = altNames;
  if (!isNodeGroup(subject.organizations)) return `subject organization is not ${NODE_GROUP}`;
  if (dnsNames.length === 0 && ipAddresses.length === 0) return "DNS or IP subjectAltName is required";
  if (emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (uris.length > 0) return "URI subjectAltNames are not allowed";
  return usagesRefusal(usages, "server auth") ?? commonNameRefusal(subject.commonName);
}

/** Why a request is not one for the client certificate of a node's agent; undefined if it is one. */
export function orchletClientRefusal({ subject, altNames }: Names, usages: readonly string[]): string | undefined {
  const { dnsNames, ipAddresses, emailAddresses, uris } = altNames;
  if (!isNodeGroup(subject.organizations)) return `subject organization is not ${NODE_GROUP}`;
  if (dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (uris.length > 0) return "URI subjectAltNames are not allowed";
  return commonNameRefusal(subject.commonName) ?? usagesRefusal(usages, "client auth");
}

function apiServerClientRefusal(usages: readonly string[]): string | undefined {
  const allowed = ["digital signature", "key encipherment", "client auth"];
  const other = usages.find((usage) => !allowed.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

const isNodeGroup = (organizations: readonly string[]): boolean =>
  organizations.length === 1 && organizations[0] === NODE_GROUP;

const commonNameRefusal = (commonName: string): string | undefined =>
  commonName.startsWith(NODE_PREFIX) ? undefined : `subject common name does not begin with ${NODE_PREFIX}`;

/** Key encipherment is for RSA keys, and may be absent. */
function usagesRefusal(usages: readonly string[], purpose: "server auth" | "client auth"): string | undefined {
  const required = [purpose, "digital signature", "key encipherment"].sort();
  const found = new Set(usages);
  found.add("key encipherment");
  const same = found.size === required.length && required.every((usage) => found.has(usage));
  return same ? undefined : `usages did not match [${required.join(" ")}]`;
}
