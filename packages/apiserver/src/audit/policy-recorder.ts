import type { UserInfo } from "@orchernetes/auth";
import { EventAudit, type RecordingParts } from "./event-audit.ts";
import type { PolicyRecorderOptions } from "./policy-recorder-options.ts";
import type { AuditedRequest, AuditRecorder, RequestAudit } from "./recorder.ts";
import { Timestamps } from "./timestamps.ts";

/**
 * Creates a recorder that applies a policy. Requests of level None have no audit, and so no cost beyond the evaluation.
 */
export function createPolicyRecorder({ policy, ...options }: PolicyRecorderOptions): AuditRecorder {
  const parts: RecordingParts = { ...options, timestamps: new Timestamps() };
  const begin = (request: AuditedRequest, user: UserInfo | undefined): RequestAudit | undefined => {
    const verdict = policy.evaluate(request.info, user);
    parts.counts.level(verdict.level);
    return verdict.level === "None" ? undefined : new EventAudit(parts, request, verdict, user);
  };
  return {
    holdsAnswers: options.holdsAnswers,
    begin: (request) => begin(request, request.user),
    beginUnauthenticated: (request) => begin(request, undefined),
  };
}
