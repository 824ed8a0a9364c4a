import type { certificates } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { ResourceRef } from "@orchernetes/client";
import { type CertificateRequest, parseCertificateRequest, TlsMaterialError } from "@orchernetes/tls";

/** A request of the certificates API. */
export type SigningRequest = Stored<certificates.CertificateSigningRequest>;

/** A condition of a {@link SigningRequest}. */
export type SigningCondition = certificates.CertificateSigningRequestCondition;

/** The resource of the requests. */
export const signingRequests: ResourceRef<certificates.CertificateSigningRequest> = {
  group: "certificates.o8s.io",
  version: "v1",
  plural: "certificatesigningrequests",
  kind: "CertificateSigningRequest",
  scope: "Cluster",
};

/** Names of the signers that csrsigning runs. */
export const signerNames = {
  orchletServing: "orchernetes.io/orchlet-serving",
  orchletClient: "orchernetes.io/orch-apiserver-client-orchlet",
  apiServerClient: "orchernetes.io/orch-apiserver-client",
  legacyUnknown: "orchernetes.io/legacy-unknown",
} as const;

/** The name of one of the {@link signerNames}. */
export type SignerName = (typeof signerNames)[keyof typeof signerNames];

/** Whether a request has a condition of this type; approval and denial count whatever their status is. */
export const hasCondition = ({ status }: SigningRequest, type: string): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type);

/** Whether an approver has approved a request, and none has denied it. */
export const isApproved = (request: SigningRequest): boolean =>
  hasCondition(request, "Approved") && !hasCondition(request, "Denied");

/** Whether a signer has given up on a request. */
export const isFailed = ({ status }: SigningRequest): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === "Failed" && condition.status === "True");

/** Whether a request has its certificate. */
export const isIssued = ({ status }: SigningRequest): boolean => (status?.certificate ?? "") !== "";

/** A request with a further condition, whose times the API server sets. */
export function withCondition(
  request: SigningRequest,
  condition: Pick<SigningCondition, "type" | "reason" | "message">,
): SigningRequest {
  const conditions = [...(request.status?.conditions ?? []), { status: "True", ...condition } as SigningCondition];
  return { ...request, status: { ...request.status, conditions } };
}

/** Longest request that is read, in characters of base64: a hundred times the usual one. Decoding takes time for each byte. */
const MAX_REQUEST_LENGTH = 128 * 1024;

/** A decoded request, or why it can never be. */
export type ParsedRequest =
  | { readonly type: "request"; readonly request: CertificateRequest }
  | { readonly type: "invalid"; readonly message: string };

/** Decodes the PKCS #10 request and verifies its signature. */
export function parseSigningRequest({ spec }: SigningRequest): ParsedRequest {
  if (spec.request.length > MAX_REQUEST_LENGTH)
    return { type: "invalid", message: `unable to parse csr: it is longer than ${MAX_REQUEST_LENGTH} characters` };
  try {
    const pem = Buffer.from(spec.request, "base64").toString("latin1");
    return { type: "request", request: parseCertificateRequest(pem, "unable to parse csr") };
  } catch (error) {
    if (error instanceof TlsMaterialError) return { type: "invalid", message: error.message };
    throw error;
  }
}
