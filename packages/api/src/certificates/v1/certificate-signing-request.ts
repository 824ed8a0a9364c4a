import { type Draft, defineResource, formatTime, humanDuration } from "@orchernetes/apimachinery";
import { age, column, name, orNone } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import { firstByKey } from "../../shared/repeated.ts";
import {
  validateCertificate,
  validateSigningRequest,
  validateSigningRequestUpdate,
} from "./signing-request-validation.ts";
import { CertificateSigningRequest, type CertificateSigningRequestCondition } from "./types.ts";

type Condition = CertificateSigningRequestCondition;

/**
 * Restores the conditions that an endpoint must not change: those of `types` are taken from the stored object. Approval
 * and issuance have different endpoints, so that a signer cannot approve.
 */
function keepConditions(
  request: Draft<CertificateSigningRequest>,
  old: CertificateSigningRequest,
  owned: (condition: Pick<Condition, "type">) => boolean,
): void {
  const mine = (request.status.conditions ?? []).filter(owned);
  const theirs = (old.status.conditions ?? []).filter((condition) => !owned(condition));
  const conditions = [...structuredClone(theirs), ...mine] as Draft<Condition>[];
  request.status.conditions = conditions.length === 0 ? undefined : conditions;
}

/** Sets the times of conditions that have none. The time of the last transition changes only with the status. */
function stampConditions(request: Draft<CertificateSigningRequest>, old: CertificateSigningRequest, now: Date): void {
  const known = firstByKey(old.status.conditions, ({ type }) => type);
  for (const condition of request.status.conditions ?? []) {
    const before = known.get(condition.type);
    condition.lastUpdateTime ??= formatTime(now);
    if (before === undefined || before.status !== condition.status) {
      condition.lastTransitionTime ??= formatTime(now);
    } else {
      condition.lastTransitionTime ??= before.lastTransitionTime ?? formatTime(now);
    }
  }
}

const isVerdict = ({ type }: Pick<Condition, "type">): boolean => type === "Approved" || type === "Denied";

function conditionText({ status }: CertificateSigningRequest): string {
  const has = (type: string): boolean => (status.conditions ?? []).some((condition) => condition.type === type);
  const verdict = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  const failed = has("Failed") ? ",Failed" : "";
  return `${verdict}${failed}${(status.certificate ?? "") === "" ? "" : ",Issued"}`;
}

/** `certificates.o8s.io/v1` signing requests: ask a signer for a certificate. */
export const certificateSigningRequests = defineResource<CertificateSigningRequest>({
  group: "certificates.o8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  singular: "certificatesigningrequest",
  shortNames: ["csr"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: CertificateSigningRequest,
  storagePrefix: "/registry/certificatesigningrequests",
  strategy: {
    // Node agents name their requests after their keys, with letters of both cases.
    nameFormat: "path",
    prepareForCreate: (request, { user }) => {
      // The requestor is the authenticated user; what the request says about it is overwritten. Signers decide by these
      // fields.
      request.spec.username = user?.name;
      request.spec.groups = user === undefined ? undefined : [...user.groups];
      delete request.spec.uid;
      if (user?.uid) request.spec.uid = user.uid;
      delete request.spec.extra;
      if (user?.extra && Object.keys(user.extra).length > 0) request.spec.extra = structuredClone(user.extra) as never;
      request.status = {};
    },
    validate: validateSigningRequest,
    prepareForUpdate: (request, old) => {
      keep(request, old, "spec");
      keep(request, old, "status");
    },
  },
  columns: [
    name(),
    age(),
    column("SignerName", "string", "Requested signer.", ({ spec }) => orNone(spec.signerName)),
    column("Requestor", "string", "User that created the request.", ({ spec }) => spec.username ?? ""),
    column("RequestedDuration", "string", "Requested validity of the certificate.", ({ spec }) =>
      spec.expirationSeconds === undefined ? "<none>" : humanDuration(spec.expirationSeconds * 1000),
    ),
    column("Condition", "string", "State of the request.", conditionText),
  ],
  fieldSelectors: ["spec.signerName"],
  selectableFields: ({ spec }) => ({ "spec.signerName": spec.signerName }),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (request, old, { now }) => {
          keep(request, old, "spec");
          keepConditions(request, old, (condition) => !isVerdict(condition));
          stampConditions(request, old, now);
        },
        validateUpdate: (request, old) => [
          ...validateSigningRequestUpdate(request, old, { mayAdd: ["Failed"] }),
          ...validateCertificate(request, old),
        ],
      },
    },
    approval: {
      type: "object",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (request, old, { now }) => {
          keep(request, old, "spec");
          const { conditions } = request.status;
          keep(request, old, "status");
          request.status.conditions = conditions;
          stampConditions(request, old, now);
        },
        validateUpdate: (request, old) =>
          validateSigningRequestUpdate(request, old, { mayAdd: ["Approved", "Denied"] }),
      },
    },
  },
});
