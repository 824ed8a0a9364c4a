const standardContainer: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

const standard: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);

const standardQuota: ReadonlySet<string> = new Set([...standard].filter((name) => name !== "storage"));

const integer: ReadonlySet<string> = new Set([
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

/** Whether a resource is of the system: its name has no domain, or the system's own. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("orchernetes.io/");
}

/** Whether the resource is pages of one size, such as `hugepages-2Mi`. */
export function isHugePageResource(name: string): boolean {
  return name.startsWith("hugepages-");
}

/** Names of huge pages in quotas: `requests.hugepages-2Mi` and `hugepages-2Mi`. */
function isQuotaHugePageResource(name: string): boolean {
  return isHugePageResource(name) || name.startsWith("requests.hugepages-");
}

/** Whether a container may request the resource, for names without a domain. */
export function isStandardContainerResource(name: string): boolean {
  return standardContainer.has(name) || isHugePageResource(name);
}

/** Whether any resource list may have the resource, for names without a domain. */
export function isStandardResource(name: string): boolean {
  return standard.has(name) || isQuotaHugePageResource(name);
}

/** Whether a quota may limit the resource, for names without a domain. */
export function isStandardQuotaResource(name: string): boolean {
  return standardQuota.has(name) || isQuotaHugePageResource(name);
}

/**
 * Whether a resource is an extended one (devices): its name has a domain other than the system's own. They are counted
 * in whole numbers, and cannot be overcommitted.
 */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith("requests.");
}

/** Whether quantities of the resource must be integers. */
export function isIntegerResource(name: string): boolean {
  return integer.has(name) || isExtendedResource(name);
}

/**
 * Whether a container's limit of the resource may exceed its request: not for extended resources and huge pages, which
 * are reserved.
 */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}
