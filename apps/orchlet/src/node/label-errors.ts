import { isQualifiedName, isValidLabelValue } from "@orchernetes/apimachinery";

/** Labels in the system's domains that a node may set on itself; NodeRestriction rejects the others. */
const allowedLabels: ReadonlySet<string> = new Set([
  "beta.orchernetes.io/arch",
  "beta.orchernetes.io/instance-type",
  "beta.orchernetes.io/os",
  "failure-domain.beta.orchernetes.io/region",
  "failure-domain.beta.orchernetes.io/zone",
  "node.orchernetes.io/instance-type",
  "orchernetes.io/arch",
  "orchernetes.io/hostname",
  "orchernetes.io/os",
  "topology.orchernetes.io/region",
  "topology.orchernetes.io/zone",
]);
const allowedDomains = ["node.orchernetes.io", "orchlet.orchernetes.io"];
const ownDomains = ["orchernetes.io", "o8s.io"];

const isWithin = (domain: string, of: readonly string[]): boolean =>
  of.some((parent) => domain === parent || domain.endsWith(`.${parent}`));

/**
 * Errors in the labels of `--node-labels`, one line each: invalid keys and values, and labels that a node may not set
 * on itself.
 */
export function nodeLabelErrors(labels: ReadonlyMap<string, string>): readonly string[] {
  return [...labels].flatMap(([key, value]) => {
    const bad = [
      ...isQualifiedName(key).map((message) => `key ${JSON.stringify(key)}: ${message}`),
      ...isValidLabelValue(value).map((message) => `value ${JSON.stringify(value)} of ${key}: ${message}`),
    ].map((message) => `--node-labels: ${message}`);
    const domain = key.slice(0, Math.max(0, key.indexOf("/")));
    if (!isWithin(domain, ownDomains) || isWithin(domain, allowedDomains) || allowedLabels.has(key)) return bad;
    return [
      ...bad,
      `--node-labels: found ${key}; of the domains ${ownDomains.join(" and ")} want one of ${[...allowedLabels].join(", ")}, or one below ${allowedDomains.join(" or ")}`,
    ];
  });
}
