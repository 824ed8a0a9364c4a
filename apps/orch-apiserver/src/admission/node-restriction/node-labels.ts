/** Labels in Orchernetes domains that a node may set on itself. */
const NODE_MAY_SET = new Set([
  "orchernetes.io/hostname",
  "orchernetes.io/os",
  "orchernetes.io/arch",
  "node.orchernetes.io/instance-type",
  "beta.orchernetes.io/instance-type",
  "beta.orchernetes.io/os",
  "beta.orchernetes.io/arch",
  "topology.orchernetes.io/region",
  "topology.orchernetes.io/zone",
  "failure-domain.beta.orchernetes.io/region",
  "failure-domain.beta.orchernetes.io/zone",
]);
/** Domains, including subdomains, whose labels a node may set on itself. */
const NODE_MAY_SET_BELOW = ["orchlet.orchernetes.io", "node.orchernetes.io"];
/** Labels of this domain isolate nodes: they decide which workloads a node gets, so nodes must not set them. */
const RESTRICTED = "node-restriction.orchernetes.io";

const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

function isForbidden(key: string): boolean {
  const slash = key.indexOf("/");
  if (slash === -1) return false;
  const domain = key.slice(0, slash);
  if (isWithin(domain, RESTRICTED)) return true;
  const ours = isWithin(domain, "orchernetes.io") || isWithin(domain, "o8s.io");
  return ours && !NODE_MAY_SET.has(key) && !NODE_MAY_SET_BELOW.some((parent) => isWithin(domain, parent));
}

type Labels = Readonly<Record<string, string>>;

/** Changed labels that a node must not add, change or remove; sorted. */
export function forbiddenLabels(now: Labels = {}, before: Labels = {}): readonly string[] {
  const keys = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...keys].filter((key) => now[key] !== before[key] && isForbidden(key)).sort();
}
