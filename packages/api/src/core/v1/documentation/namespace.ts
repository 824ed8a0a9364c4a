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
    "": "A scope for names: objects in different namespaces may have the same name. Permissions, quotas and policies apply per namespace, and deleting a namespace deletes everything in it.",
    metadata: `${objectMetadata} The label orchernetes.io/metadata.name always holds the name.`,
    spec: "Desired behaviour of the namespace.",
    status: "Phase of the namespace's life cycle, and what delays its removal.",
  },
  NamespaceSpec: {
    "": "Desired behaviour of a namespace.",
    finalizers:
      'Clean-up steps that must be done before a deleted namespace is removed. "orchernetes" stands for the removal of the content. Can only be changed through the finalize subresource.',
  },
  NamespaceStatus: {
    "": "Phase of a namespace's life cycle, and what delays its removal.",
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
