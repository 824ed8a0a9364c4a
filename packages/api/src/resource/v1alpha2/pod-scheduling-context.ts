import {
  defineResource,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  isDns1123Subdomain,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { validateSet } from "../../shared/repeated.ts";

const pkg = "resource/v1alpha2";

/**
 * Where the scheduler and the drivers of claims agree on a node for a pod. It has the name of the pod, which owns it. Source:
 * KEP-3063.
 */
export const PodSchedulingContext = object(pkg, "PodSchedulingContext", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, PodSchedulingContextSpec),
  status: value(3, PodSchedulingContextStatus),
}));
export interface PodSchedulingContext extends Infer<typeof PodSchedulingContext> {}

/** What orch-scheduler asks of the drivers. */
export const PodSchedulingContextSpec = message(pkg, "PodSchedulingContextSpec", () => ({
  selectedNode: optional(1, string),
  potentialNodes: optional(2, list(string), { list: "set" }),
}));
export interface PodSchedulingContextSpec extends Infer<typeof PodSchedulingContextSpec> {}

/** What the drivers answer. */
export const PodSchedulingContextStatus = message(pkg, "PodSchedulingContextStatus", () => ({
  resourceClaims: optional(1, list(ResourceClaimSchedulingStatus), { list: "map", keys: ["name"] }),
}));
export interface PodSchedulingContextStatus extends Infer<typeof PodSchedulingContextStatus> {}

/** What a driver says about a claim of the pod. */
export const ResourceClaimSchedulingStatus = message(pkg, "ResourceClaimSchedulingStatus", () => ({
  name: optional(1, string),
  unsuitableNodes: optional(2, list(string), { list: "set" }),
}));
export interface ResourceClaimSchedulingStatus extends Infer<typeof ResourceClaimSchedulingStatus> {}

export const PodSchedulingContextList = object(pkg, "PodSchedulingContextList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(PodSchedulingContext)),
}));
export interface PodSchedulingContextList extends Infer<typeof PodSchedulingContextList> {}

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

/** `resource.o8s.io/v1alpha2` scheduling contexts: scheduler and drivers agree on a node for a pod with claims. */
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
    column("SelectedNode", "string", "Node that the scheduler has selected.", ({ spec }) => spec.selectedNode ?? ""),
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
