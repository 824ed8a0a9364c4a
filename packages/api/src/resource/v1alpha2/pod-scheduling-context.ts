import { defineResource, type FieldError, type FieldPath, field, isDns1123Subdomain } from "@orchernetes/apimachinery";
import { keep, keepMetadata } from "../../meta/keep.ts";
import { allVerbs, subresourceVerbs } from "../../meta/verbs.ts";
import { age, column, name } from "../../shared/index.ts";
import { validateSet } from "./lists.ts";
import { PodSchedulingContext } from "./types/pod-scheduling-context.ts";

const maxNodes = 128;

const nodeName = (text: string, path: FieldPath): FieldError[] =>
  isDns1123Subdomain(text).map((message) => field.invalid(path, text, message));

function validateSpec({ spec }: PodSchedulingContext): FieldError[] {
  return validateSet(spec.potentialNodes ?? [], maxNodes, field("spec", "potentialNodes"), nodeName);
}

function validateStatus({ status = {} }: PodSchedulingContext): FieldError[] {
  const path = field("status", "resourceClaims");
  const names = new Set<string>();
  return (status.resourceClaims ?? []).flatMap(({ name: claim = "", unsuitableNodes = [] }, i) => {
    const at = path.index(i);
    const errors = validateSet(unsuitableNodes, maxNodes, at.child("unsuitableNodes"), nodeName);
    if (names.has(claim)) errors.push(field.duplicate(at, claim));
    names.add(claim);
    return errors;
  });
}

/** How scheduler and drivers agree on a node for a pod with claims. */
export const podSchedulingContexts = defineResource<PodSchedulingContext>({
  group: "resource.o8s.io",
  version: "v1alpha2",
  kind: "PodSchedulingContext",
  plural: "podschedulingcontexts",
  singular: "podschedulingcontext",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: PodSchedulingContext,
  storagePrefix: "/registry/podschedulingcontexts",
  strategy: {
    prepareForCreate: (context) => {
      context.status = {};
    },
    validate: validateSpec,
    prepareForUpdate: (context, old) => keep(context, old, "status"),
    validateUpdate: validateSpec,
  },
  columns: [
    name(),
    column("SelectedNode", "string", "Node that the scheduler has in mind.", ({ spec }) => spec.selectedNode ?? ""),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (context, old) => {
          keep(context, old, "spec");
          keepMetadata(context, old);
        },
        validateUpdate: validateStatus,
      },
    },
  },
});
