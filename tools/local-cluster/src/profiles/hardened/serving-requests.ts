import { isIP } from "node:net";
import { messageOf } from "@orchernetes/kernel";
import { type CertificateRequest, parseCertificateRequest } from "@orchernetes/tls";
import type { SecureRequest } from "../../api-probe.ts";
import { addressOf, type NodeState } from "../../state.ts";

const SIGNER = "orchernetes.io/orchlet-serving";
const requestsPath = "/apis/certificates.o8s.io/v1/certificatesigningrequests";

/** The fields of a CertificateSigningRequest by which an approval is decided. */
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

/** The facts about a node for {@link servingRefusal}. */
type KnownNode = Pick<NodeState, "name" | "address">;

/**
 * Returns why a request for a serving certificate must not be approved; undefined if it can be. The certificates API checks the form of the
 * request. Whether a node may serve under the requested names can only be decided here, where the addresses of the nodes are known.
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
 * Approves the pending requests of the cluster's own nodes for serving certificates, which no controller approves. All other requests are
 * left to the administrator.
 *
 * @param call sends a request to the API server
 * @throws Error with the response of the server
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
    // The request was deleted in the meantime; the node makes a new one.
    if (status !== 200 && status !== 404)
      throw new Error(`approving ${request.metadata.name}: the API server answered ${status}: ${body}`);
  }
}
