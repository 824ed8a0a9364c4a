import { eraseTarget, type PureTarget } from "../target.ts";
import { applyTarget } from "./apply.ts";
import { dnsTarget } from "./dns.ts";
import { jsonTarget, yamlTarget } from "./documents.ts";
import { http2ClientTarget } from "./http2-client.ts";
import { kindsTarget, protobufTarget } from "./kinds.ts";
import { jsonPatchTarget, mergePatchTarget, strategicPatchTarget } from "./patches.ts";
import { namesTarget, requestInfoTarget, scalarsTarget, selectorsTarget } from "./texts.ts";

/** Targets that call functions directly: those that handle what clients send, and what servers answer that we call. */
export const pureTargets: readonly PureTarget[] = [
  eraseTarget(jsonTarget),
  eraseTarget(yamlTarget),
  eraseTarget(kindsTarget),
  eraseTarget(protobufTarget),
  eraseTarget(jsonPatchTarget),
  eraseTarget(mergePatchTarget),
  eraseTarget(strategicPatchTarget),
  eraseTarget(applyTarget),
  eraseTarget(selectorsTarget),
  eraseTarget(scalarsTarget),
  eraseTarget(namesTarget),
  eraseTarget(requestInfoTarget),
  eraseTarget(dnsTarget),
  eraseTarget(http2ClientTarget),
];
