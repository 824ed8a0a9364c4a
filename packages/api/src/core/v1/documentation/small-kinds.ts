import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { conditionStatus, listMetadata, objectMetadata } from "./phrases.ts";

/** Texts of kinds with a few fields: bindings, component statuses, range allocations, service accounts and preconditions. */
export const documentation: TypeDocumentation = {
  Binding: {
    "": "Assigns a pod to a node. Schedulers create it through the binding subresource of pods; it is not stored itself.",
    metadata: `${objectMetadata} The name is that of the pod. Annotations and labels are copied to the pod; a UID, if given, must be the pod's.`,
    target:
      "The node to run the pod on. Kind is Node (or empty) and name is required. A pod that has a node keeps it: another binding is rejected with Conflict.",
  },
  ComponentStatus: {
    "": "Health of a control plane component, checked at the time of the request. Deprecated since 1.19: use the health endpoints of the components instead.",
    metadata: objectMetadata,
    conditions: "What was checked, one condition for each type.",
  },
  ComponentCondition: {
    "": "One finding about a component.",
    type: "What was checked. Healthy is the only type.",
    status: conditionStatus,
    message: "What the component answered to the health check.",
    error: "Why the health check could not be made, if it failed.",
  },
  ComponentStatusList: {
    "": "Health of all known components. Deprecated since 1.19.",
    metadata: listMetadata,
    items: "One entry for each component.",
  },
  RangeAllocation: {
    "": "Which members of a range, such as service addresses or node ports, are taken. Internal to orch-apiserver; it is not served.",
    metadata: objectMetadata,
    range: "The range as text: a CIDR such as 10.0.0.0/24, or ports such as 30000-32767.",
    data: "One bit for each member of the range, set if taken, in base64.",
  },
  ServiceAccount: {
    "": "An identity for the processes in pods. They authenticate to orch-apiserver as system:serviceaccount:NAMESPACE:NAME. Every namespace has one named default.",
    metadata: objectMetadata,
    secrets:
      "Secrets that belong to the account, for use by tools. Pods may use other secrets, too, and nothing adds token secrets here: tokens are requested through the token subresource.",
    imagePullSecrets:
      "Secrets with registry credentials that are added to pods of this account which name no imagePullSecrets themselves.",
    automountServiceAccountToken:
      "Whether pods of this account get a token and the cluster's certificate mounted. A pod can override this. True if absent.",
  },
  ServiceAccountList: {
    "": "A list of service accounts.",
    metadata: listMetadata,
    items: "The service accounts.",
  },
  Preconditions: {
    "": "Conditions that an object must meet to be deleted. Old form; replaced by the type of the same name in meta/v1.",
    uid: "The UID that the object must have.",
  },
};
