import type { core } from "@orchernetes/api";
import { type ApiObject, isDns1123Subdomain, type ObjectMeta, type OwnerReference } from "@orchernetes/apimachinery";

/** A pod to be created, without the fields that the server sets. */
export interface NewPod {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly metadata: ObjectMeta;
  readonly spec: core.PodSpec;
}

/**
 * Creates the pod of a template; the server generates its name from the owner's. The pod shares objects with the template and
 * must not be modified.
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
  // The server appends letters and digits, so the prefix is validated with one appended.
  return isDns1123Subdomain(`${name}-x`).length === 0 ? `${name}-` : name;
}
