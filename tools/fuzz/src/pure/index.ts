import { eraseTarget, type PureTarget } from "../target.ts";
import { applyTarget } from "./apply.ts";
import { jsonTarget, yamlTarget } from "./documents.ts";
import { kindsTarget, protobufTarget } from "./kinds.ts";
import { jsonPatchTarget, mergePatchTarget, strategicPatchTarget } from "./patches.ts";
import { namesTarget, requestInfoTarget, scalarsTarget, selectorsTarget } from "./texts.ts";

/** Functions that take what clients send, called directly. */
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
];
