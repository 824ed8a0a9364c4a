import type { TypeDocumentation } from "@orchernetes/apimachinery";
import {
  conditionMessage,
  conditionReason,
  conditionStatus,
  conditionTransition,
  listMetadata,
  objectMetadata,
} from "./phrases.ts";

/** Texts of the types in `namespace.ts`. */
export const documentation: TypeDocumentation = {
  Namespace: {
    "": "A space for names: objects in different namespaces may be called the same. Permissions, quotas and policies are given by namespace, and deleting it deletes everything inside.",
    metadata: `${objectMetadata} The label orchernetes.io/metadata.name always holds the name.`,
    spec: "How the namespace behaves.",
    status: "Where the namespace is in its life.",
  },
  NamespaceSpec: {
    "": "Desired behaviour of a namespace.",
    finalizers:
      'Duties that keep a deleted namespace in place until they are done. "orchernetes" stands for the removal of the content. Can only be changed through the finalize subresource.',
  },
  NamespaceStatus: {
    "": "Where a namespace is in its life, and what holds up its removal.",
    phase: "Active, or Terminating once deletion has begun; nothing new can be created in a terminating namespace.",
    conditions: "Findings of the controller that empties a deleted namespace.",
  },
  NamespaceCondition: {
    "": "One finding about a namespace that is being deleted.",
    type: "What was found, such as NamespaceDeletionDiscoveryFailure, NamespaceDeletionContentFailure, NamespaceContentRemaining or NamespaceFinalizersRemaining.",
    status: conditionStatus,
    lastTransitionTime: conditionTransition,
    reason: conditionReason,
    message: conditionMessage,
  },
  NamespaceList: {
    "": "A list of namespaces.",
    metadata: listMetadata,
    items: "The namespaces.",
  },
};
