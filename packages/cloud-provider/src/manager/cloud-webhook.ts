import type { CloudProvider } from "../provider/cloud-provider.ts";

/** The request of an AdmissionReview of `admission.o8s.io/v1`; fields that are not listed here are in it, too. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation?: string;
  readonly name?: string;
  readonly namespace?: string;
  /** The object as it is to be stored; absent for deletions. */
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly [field: string]: unknown;
}

/** The response of an AdmissionReview. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** Why the request is denied. */
  readonly status?: { readonly message?: string; readonly code?: number; readonly reason?: string };
  /** A JSON patch in base64, and its type. */
  readonly patch?: string;
  readonly patchType?: "JSONPatch";
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** An admission webhook of a provider. */
export interface CloudWebhook {
  /** Path of its URL, e.g. `/validate-service`. */
  readonly path: string;
  /** Answers a request. An error is a 500. */
  admit(
    request: AdmissionRequest,
    context: {
      /** Aborts when the client goes away or the time is over. */
      readonly signal: AbortSignal;
      /** The provider, while this process leads. */
      readonly cloud: CloudProvider | undefined;
    },
  ): Promise<AdmissionResponse>;
}
