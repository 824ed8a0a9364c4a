import { isIP } from "node:net";
import { messageOf } from "@orchernetes/kernel";
import { type CertificateRequest, parseCertificateRequest } from "@orchernetes/tls";
import type { SecureRequest } from "../../api-probe.ts";
import { addressOf, type NodeState } from "../../state.ts";

const SIGNER = "orchernetes.io/orchlet-serving";
const requestsPath = "/apis/certificates.o8s.io/v1/certificatesigningrequests";

/** The part of a CertificateSigningRequest that an approval is about. */
export interface ServingRequest {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly request: string;
    readonly signerName: string;
    readonly username?: string;
    readonly usages?: readonly string[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string }[] };
}

/** What {@link servingRefusal} knows of a node. */
type KnownNode = Pick<NodeState, "name" | "address">;

/**
 * Why a request for a serving certificate is not one to approve; undefined if it is. The certificates API checks the form of the
 * request; whether a node may serve under these names is for an administrator to know, who here knows where the nodes are.
 */
export function servingRefusal({ spec }: ServingRequest, nodes: readonly KnownNode[]): string | undefined {
  const node = nodes.find(({ name }) => spec.username === `system:node:${name}`);
  if (node === undefined) return `${JSON.stringify(spec.username ?? "")} is none of the cluster's nodes`;
  let request: CertificateRequest;
  try {
    request = parseCertificateRequest(Buffer.from(spec.request, "base64").toString("latin1"));
  } catch (error) {
    return messageOf(error);
  }
  const { subject, altNames } = request;
  if (subject.commonName !== spec.username) return `its subject is ${JSON.stringify(subject.commonName)}`;
  const own = [node.name, addressOf(node)];
  const names = [...altNames.dnsNames, ...altNames.ipAddresses, ...altNames.emailAddresses, ...altNames.uris];
  const other = names.find((name) => !own.includes(name));
  if (other !== undefined) return `${JSON.stringify(other)} is no name or address of ${node.name}`;
  const usage = spec.usages?.find((one) => !["digital signature", "key encipherment", "server auth"].includes(one));
  if (usage !== undefined) return `usage ${JSON.stringify(usage)} is not one of a server`;
  return altNames.ipAddresses.some((address) => isIP(address) !== 0) ? undefined : "it names no address";
}

/**
 * Approves the undecided requests of the cluster's own nodes for serving certificates, which no controller approves. Others are left
 * to the administrator.
 *
 * @param call sends a request to the API server
 * @throws Error with the server's answer
 */
export async function approveServing({
  nodes,
  call,
}: {
  readonly nodes: readonly KnownNode[];
  readonly call: (request: SecureRequest) => Promise<{ readonly status: number; readonly body: string }>;
}): Promise<void> {
  const listed = await call({ method: "GET", path: requestsPath });
  if (listed.status !== 200)
    throw new Error(`listing certificate requests: the API server answered ${listed.status}: ${listed.body}`);
  const { items } = JSON.parse(listed.body) as { readonly items: readonly ServingRequest[] };
  for (const request of items) {
    const conditions = request.status?.conditions ?? [];
    if (request.spec.signerName !== SIGNER || conditions.length > 0) continue;
    if (servingRefusal(request, nodes) !== undefined) continue;
    const condition = {
      type: "Approved",
      status: "True",
      reason: "LocalClusterApprove",
      message: "The request is for the node's own name and address.",
    };
    const { status, body } = await call({
      method: "PATCH",
      path: `${requestsPath}/${request.metadata.name}/approval`,
      contentType: "application/merge-patch+json",
      body: JSON.stringify({ status: { conditions: [condition] } }),
    });
    // Deleted in between: the node asks again.
    if (status !== 200 && status !== 404)
      throw new Error(`approving ${request.metadata.name}: the API server answered ${status}: ${body}`);
  }
}
