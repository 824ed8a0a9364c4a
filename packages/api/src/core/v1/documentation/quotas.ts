import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata } from "./phrases.ts";

const scopes =
  "Terminating (pods with activeDeadlineSeconds), NotTerminating (pods without), BestEffort (pods of that QoS class), NotBestEffort (pods of another class), PriorityClass (pods of certain priority classes) and CrossNamespacePodAffinity (pods whose affinity terms look at other namespaces)";

/** Texts of limit ranges and resource quotas. */
export const documentation: TypeDocumentation = {
  LimitRange: {
    "": "Limits and defaults for the requests of single pods, containers and claims of a namespace. Checked when they are created or changed, not for those that exist.",
    metadata: objectMetadata,
    spec: "The limits and defaults.",
  },
  LimitRangeSpec: {
    "": "The rules of a limit range.",
    limits: "The rules, each for one type of thing.",
  },
  LimitRangeItem: {
    "": "Limits and defaults for one type of thing, by resource name such as cpu, memory or storage.",
    type: "What the rule applies to: Container (each one by itself), Pod (the sum over its containers) or PersistentVolumeClaim.",
    max: "Largest amounts that may be used; limits above them, or missing, are rejected. For claims they limit the requested storage.",
    min: "Smallest amounts that must be requested; requests below it, or missing, are rejected.",
    default:
      "Limit given to containers that state none. Only for Container. Equals max for resources where it is not set.",
    defaultRequest:
      "Request given to containers that state none. Only for Container. Equals default where it is not set, or else min.",
    maxLimitRequestRatio:
      "How many times its request a limit may be at most. Both must be given, and not zero, for the resources named here.",
  },
  LimitRangeList: {
    "": "A list of limit ranges.",
    metadata: listMetadata,
    items: "The limit ranges.",
  },
  ResourceQuota: {
    "": "Limits what all objects of a namespace may use together. Requests that would go beyond are rejected with Forbidden.",
    metadata: objectMetadata,
    spec: "The limits, and what they count.",
    status: "The limits in force, and how much is used.",
  },
  ResourceQuotaSpec: {
    "": "The limits of a quota, and what they count.",
    hard: "The largest amounts that may be used in the namespace, by name: requests.cpu, limits.memory, pods, services.nodeports, requests.storage, count/deployments.apps and the like. While cpu or memory is limited, each pod must state it.",
    scopes: `Narrows what is counted to pods that fit all of the scopes: ${scopes}. Only some resources can be counted in each scope. Immutable.`,
    scopeSelector: "Narrows what is counted like scopes, but with operators and values. Both together must hold.",
  },
  ScopeSelector: {
    "": "A query over the scopes that a pod fits. All requirements must hold.",
    matchExpressions: "The requirements.",
  },
  ScopedResourceSelectorRequirement: {
    "": "One requirement on a scope.",
    scopeName: `The scope: ${scopes}.`,
    operator:
      "How the scope relates to the values: In, NotIn, Exists or DoesNotExist. Only PriorityClass has values; the other scopes allow Exists only.",
    values: "Values to compare with, such as names of priority classes. At least one for In and NotIn, else none.",
  },
  ResourceQuotaStatus: {
    "": "The limits in force, and how much of them is used.",
    hard: "The limits in force, as last taken over from the spec.",
    used: "How much the objects of the namespace use now, by the same names as hard.",
  },
  ResourceQuotaList: {
    "": "A list of resource quotas.",
    metadata: listMetadata,
    items: "The resource quotas.",
  },
};
