import type { core } from "@orchernetes/api";
import { type ApiObject, isDns1123Subdomain, type ObjectMeta, type OwnerReference } from "@orchernetes/apimachinery";

/** A pod to be created: everything but what the server adds. */
export interface NewPod {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly metadata: ObjectMeta;
  readonly spec: core.PodSpec;
}

/**
 * The pod that a template stands for, named by the server after its owner. Shares the template's parts: to be sent, not
 * changed.
 */
export function podFromTemplate(template: core.PodTemplateSpec, owner: ApiObject, ownerRef: OwnerReference): NewPod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { name = "", namespace } = owner.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: generateNameFor(name),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [ownerRef],
    },
    spec: template.spec,
  };
}

/** `NAME-`, or `NAME` when a dash would make the name invalid. */
function generateNameFor(name: string): string {
  // The server appends a letter or digit, so the prefix is judged with one.
  return isDns1123Subdomain(`${name}-x`).length === 0 ? `${name}-` : name;
}
