import {
  bool,
  bytes,
  decoderFor,
  goQuote,
  type Infer,
  list,
  mapOf,
  message,
  object,
  optional,
  pointer,
  required,
  Status,
  string,
} from "@orchernetes/apimachinery";
import type { ReviewVersion } from "./webhook.ts";

const pkg = "admission/v1";

const AdmissionResponse = message(pkg, "AdmissionResponse", () => ({
  uid: required(1, string),
  allowed: required(2, bool),
  status: pointer(3, Status),
  patch: optional(4, bytes),
  patchType: pointer(5, string),
  auditAnnotations: optional(6, mapOf(string)),
  warnings: optional(7, list(string)),
}));

const AdmissionReview = object(pkg, "AdmissionReview", () => ({ response: pointer(2, AdmissionResponse) }));

/** The decision of a webhook. */
export interface WebhookResponse {
  readonly allowed: boolean;
  /** The reason of a denial. */
  readonly status: Status | undefined;
  /** The patch; undefined if there is none. */
  readonly patch: Buffer | undefined;
  /** Empty if there is no patch. */
  readonly patchType: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** What a response must match. */
export interface ExpectedResponse {
  readonly version: ReviewVersion;
  readonly uid: string;
  /** Whether the webhook may change the object. */
  readonly mutating: boolean;
}

/**
 * Decodes a response as an AdmissionReview. Unknown fields are ignored.
 *
 * @throws DecodeError for fields of another type, Error for a review of another version, or another kind
 */
export function decodeReview(body: unknown, version: ReviewVersion): Infer<typeof AdmissionReview> {
  checkKind(body, version);
  return decoderFor(AdmissionReview).decode(body);
}

const GROUP = "admission.o8s.io";
const KIND = "AdmissionReview";
const VERSIONS: Readonly<Record<string, ReviewVersion>> = { [`${GROUP}/v1`]: "v1", [`${GROUP}/v1beta1`]: "v1beta1" };

/** What is absent is taken for what was asked; {@link checkReview} insists on it for v1. */
function checkKind(body: unknown, version: ReviewVersion): void {
  const { kind, apiVersion }: { readonly kind?: unknown; readonly apiVersion?: unknown } = Object(body);
  const group = apiVersion || `${GROUP}/${version}`;
  const found = typeof group === "string" && Object.hasOwn(VERSIONS, group) ? VERSIONS[group] : undefined;
  if (found === undefined || (kind || KIND) !== KIND) {
    const shown = [kind ?? "", apiVersion ?? ""].map((part) => goQuote(String(part).slice(0, 100)));
    throw new Error(`no kind ${shown[0]} is registered for version ${shown[1]}`);
  }
  if (found !== version) throw new Error(`converting (${found}.${KIND}) to (${version}.${KIND}): unknown conversion`);
}

/**
 * Checks a decoded response, in upstream's words (`VerifyAdmissionResponse`). In v1beta1 a response needs neither the uid of the request nor
 * the type of a patch.
 *
 * @throws Error with the reason
 */
export function checkReview(review: ReturnType<typeof decodeReview>, expected: ExpectedResponse): WebhookResponse {
  const { response } = review;
  if (response === undefined || response === null) throw new Error("webhook response was absent");
  if (expected.version === "v1") {
    checkIdentity(review, response.uid, expected);
    checkPatchType(response, expected.mutating);
  }
  const patch = expected.mutating && response.patch ? Buffer.from(response.patch, "base64") : undefined;
  const patchType = expected.version === "v1" ? (response.patchType ?? "") : "JSONPatch";
  return {
    allowed: response.allowed,
    status: response.status ?? undefined,
    patch,
    patchType: patch === undefined ? "" : patchType,
    auditAnnotations: response.auditAnnotations ?? {},
    warnings: response.warnings ?? [],
  };
}

function checkIdentity(
  { kind = "", apiVersion = "" }: { readonly kind?: string | undefined; readonly apiVersion?: string | undefined },
  found: string,
  { uid, version }: ExpectedResponse,
): void {
  if (found !== uid) throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(found.slice(0, 100))}`);
  const want = `admission.o8s.io/${version}`;
  if (kind === "AdmissionReview" && apiVersion === want) return;
  const shown = `${apiVersion.slice(0, 100) || "/"}, Kind=${kind.slice(0, 100)}`;
  throw new Error(`expected webhook response of ${want}, Kind=AdmissionReview, got ${shown}`);
}

function checkPatchType(
  { patch = "", patchType }: { readonly patch?: string | undefined; readonly patchType?: string | null | undefined },
  mutating: boolean,
): void {
  const hasType = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (patch !== "") throw new Error("validating webhook may not return response.patch");
    if (hasType) throw new Error("validating webhook may not return response.patchType");
    return;
  }
  if (patch !== "" && !hasType) throw new Error("webhook returned response.patch but not response.patchType");
  if (patch === "" && hasType) throw new Error("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new Error('webhook returned invalid response.patchType of ""');
}
