import type { authorization } from "@orchernetes/api";
import type { ResourceRef } from "@orchernetes/client";
import { follow, inOrder, noPlan, type Plan } from "@orchernetes/controller";
import type { CertificateRequest } from "@orchernetes/tls";
import { defineController } from "../../shared/define-controller.ts";
import { orchletClientRefusal } from "./signer-rules.ts";
import {
  hasCondition,
  isIssued,
  parseSigningRequest,
  type SigningRequest,
  signerNames,
  signingRequests,
  withCondition,
} from "./signing-request.ts";

/** A permission that lets a requestor have a request approved, and what the approval says. */
interface Approval {
  readonly subresource: "selfnodeclient" | "nodeclient";
  readonly message: string;
}

const selfNodeClient: Approval = {
  subresource: "selfnodeclient",
  message: "Auto approving self orchlet client certificate after SubjectAccessReview.",
};
const nodeClient: Approval = {
  subresource: "nodeclient",
  message: "Auto approving orchlet client certificate after SubjectAccessReview.",
};

type ApproveAction = { readonly type: "Approve"; readonly approvals: readonly Approval[] };

/** A requestor without a permission may get one: the request is looked at again after this time, in milliseconds. */
const AGAIN_MS = 60_000;

const accessReviews: ResourceRef<authorization.SubjectAccessReview> = {
  group: "authorization.o8s.io",
  version: "v1",
  plural: "subjectaccessreviews",
  kind: "SubjectAccessReview",
  scope: "Cluster",
};

/** The permissions, one of which approves a request, in the order in which they are asked for; none for other requests. */
export function approvalsFor({ spec }: SigningRequest, request: CertificateRequest): readonly Approval[] {
  if (spec.signerName !== signerNames.orchletClient) return [];
  if (orchletClientRefusal(request, spec.usages ?? []) !== undefined) return [];
  return spec.username === request.subject.commonName ? [selfNodeClient, nodeClient] : [nodeClient];
}

/** Decides which permissions to ask about. What is not a readable request is left to its signer. Pure. */
export function reconcile(request: SigningRequest): Plan<ApproveAction> {
  if (isIssued(request) || hasCondition(request, "Approved") || hasCondition(request, "Denied")) return noPlan;
  if (request.spec.signerName !== signerNames.orchletClient) return noPlan;
  const parsed = parseSigningRequest(request);
  if (parsed.type === "invalid") return noPlan;
  const approvals = approvalsFor(request, parsed.request);
  return approvals.length === 0 ? noPlan : { actions: [{ type: "Approve", approvals }] };
}

/** The review that asks whether the requestor has a permission. */
function reviewOf({ spec }: SigningRequest, { subresource }: Approval) {
  const { username, uid, groups, extra } = spec;
  return {
    metadata: {},
    spec: {
      user: username ?? "",
      groups: groups ?? [],
      ...(uid !== undefined && { uid }),
      ...(extra !== undefined && { extra }),
      resourceAttributes: {
        group: "certificates.o8s.io",
        version: "*",
        resource: "certificatesigningrequests",
        subresource,
        verb: "create",
      },
    },
  };
}

/**
 * Approves requests for client certificates of nodes' agents, if their requestor is allowed to create
 * `certificatesigningrequests/nodeclient`, or for a node's own identity `certificatesigningrequests/selfnodeclient`.
 */
export const csrApprovingController = defineController({
  name: "csrapproving",
  serviceAccount: "certificate-controller",
  build(shell) {
    const { client, logger } = shell.context;
    const queue = shell.queue("certificate");
    const requests = shell.informer(signingRequests);
    follow(requests, queue);
    shell.loop({
      queue,
      workers: 5,
      gather: (name): SigningRequest | undefined => requests.lister.get("", name),
      reconcile,
      carryOut: inOrder<ApproveAction, SigningRequest>({
        async Approve({ approvals }, request) {
          for (const approval of approvals) {
            const { status } = await client.resource(accessReviews).create(reviewOf(request, approval));
            if (status?.allowed !== true) continue;
            const { message } = approval;
            const approved = withCondition(request, { type: "Approved", reason: "AutoApproved", message });
            await client.resource(signingRequests).subresource("approval").update(request.metadata.name, approved);
            return undefined;
          }
          const tried = approvals.map(({ subresource }) => subresource);
          logger
            .v(4)
            ?.info("A recognized request was not allowed to be approved", { name: request.metadata.name, tried });
          return AGAIN_MS;
        },
      }),
    });
  },
});
