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

/** Names in the system's own domain, or in none. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("orchernetes.io/");
}

/** Whether the resource is pages of one size, such as `hugepages-2Mi`. */
export function isHugePageResource(name: string): boolean {
  return name.startsWith("hugepages-");
}

/** `requests.hugepages-2Mi` and `hugepages-2Mi`: how quotas name huge pages. */
function isQuotaHugePageResource(name: string): boolean {
  return isHugePageResource(name) || name.startsWith("requests.hugepages-");
}

/** What a container may request without a domain. */
export function isStandardContainerResource(name: string): boolean {
  return standardContainer.has(name) || isHugePageResource(name);
}

/** What any resource list may name without a domain. */
export function isStandardResource(name: string): boolean {
  return standard.has(name) || isQuotaHugePageResource(name);
}

/** What a quota may limit without a domain. */
export function isStandardQuotaResource(name: string): boolean {
  return standardQuota.has(name) || isQuotaHugePageResource(name);
}

/** A resource of a domain other than the system's own. */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith("requests.");
}

/** Resources counted in whole numbers. */
export function isIntegerResource(name: string): boolean {
  return integer.has(name) || isExtendedResource(name);
}

/** Whether a container's limit may exceed its request. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}
