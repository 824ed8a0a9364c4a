import { isNotFound } from "@orchernetes/apimachinery";
import { follow, inOrder, type Plan } from "@orchernetes/controller";
import { parseCertificates, TlsMaterialError, validity } from "@orchernetes/tls";
import { defineController } from "../../shared/define-controller.ts";
import { isIssued, type SigningRequest, signingRequests } from "./signing-request.ts";

const HOUR_MS = 3_600_000;
/** Time after which a request is deleted that was denied, that failed, or that was approved and has its certificate. */
const DECIDED_MS = HOUR_MS;
/** Time after which a request without any condition is deleted. */
const PENDING_MS = 24 * HOUR_MS;
/** Longest delay until a request is looked at again, since timers of years overflow. */
const LONGEST_DELAY_MS = 24 * HOUR_MS;

type DeleteAction = { readonly type: "Delete" };

/** Wall clock time in milliseconds at which a request is to be deleted; undefined: not before something changes. */
export function deletionTimeMs(request: SigningRequest): number | undefined {
  const { metadata, status } = request;
  const conditions = status?.conditions ?? [];
  const issued = isIssued(request);
  const times = conditions.flatMap(({ type, lastUpdateTime }) => {
    const decided = type === "Denied" || type === "Failed" || (type === "Approved" && issued);
    const expires = type === "Approved" && issued ? expiryMs(request) : undefined;
    return [...(decided ? after(lastUpdateTime, DECIDED_MS) : []), ...(expires === undefined ? [] : [expires])];
  });
  if (conditions.length === 0) times.push(...after(metadata.creationTimestamp, PENDING_MS));
  return times.length === 0 ? undefined : Math.min(...times);
}

function after(time: string | undefined, delayMs: number): readonly number[] {
  return time === undefined ? [] : [Date.parse(time) + delayMs];
}

/** When the first of the issued certificates expires; undefined if they cannot be read, since approvers may store anything. */
function expiryMs({ status }: SigningRequest): number | undefined {
  try {
    const pem = Buffer.from(status?.certificate ?? "", "base64").toString("latin1");
    return Math.min(...parseCertificates(pem, "certificate").map((one) => validity(one).notAfterMs));
  } catch (error) {
    if (error instanceof TlsMaterialError) return undefined;
    throw error;
  }
}

/** Deletes a request whose time has come. Pure. */
export function reconcile(request: SigningRequest, now: Date): Plan<DeleteAction> {
  const time = deletionTimeMs(request);
  if (time === undefined) return { actions: [] };
  const leftMs = time - now.getTime();
  return leftMs < 0
    ? { actions: [{ type: "Delete" }] }
    : { actions: [], requeueAfterMs: Math.min(leftMs + 1, LONGEST_DELAY_MS) };
}

/** Deletes old requests: certificates are taken from them soon, and nothing else deletes them. */
export const csrCleanerController = defineController({
  name: "csrcleaner",
  serviceAccount: "certificate-controller",
  build(shell) {
    const { client } = shell.context;
    const queue = shell.queue("csrcleaner");
    const requests = shell.informer(signingRequests);
    follow(requests, queue);
    shell.loop({
      queue,
      workers: 1,
      gather: (name): SigningRequest | undefined => requests.lister.get("", name),
      reconcile,
      carryOut: inOrder<DeleteAction, SigningRequest>({
        async Delete(_, { metadata }) {
          const { name, uid } = metadata;
          const deleting = client.resource(signingRequests).delete(name, { preconditions: { uid } });
          await deleting.catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
          });
        },
      }),
    });
  },
});
