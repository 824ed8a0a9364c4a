import type { core } from "@orchernetes/api";
import { type ApiObject, Quantity, quantityOf } from "@orchernetes/apimachinery";

/** Amounts by the names under which quotas know them. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** One condition under which a quota counts an object. */
export interface Scope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** How stored objects of one resource count towards quotas; the same numbers as admission charges. */
export interface Evaluator {
  readonly group: string;
  readonly plural: string;
  /** Whether the name is one under which quotas limit this resource. */
  limits(name: string): boolean;
  inScope(object: ApiObject, scope: Scope): boolean;
  usage(object: ApiObject, now: Date): Amounts;
}

const one = Quantity.of(1);
const ofClass = ".storageclass.storage.o8s.io/";
const classAnnotation = "volume.beta.orchernetes.io/storage-class";
const shortNames: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

/** Counts objects and looks at nothing in them. */
export function objectCount(group: string, plural: string): Evaluator {
  const counted = group === "" ? `count/${plural}` : `count/${plural}.${group}`;
  const names = group === "" && shortNames.has(plural) ? [counted, plural] : [counted];
  const amounts = new Map(names.map((name) => [name, one]));
  return { group, plural, limits: (name) => names.includes(name), inScope: () => false, usage: () => amounts };
}

/** Services count by number, by node ports and by load balancers. */
export const services: Evaluator = {
  group: "",
  plural: "services",
  limits: (name) => ["services", "services.nodeports", "services.loadbalancers", "count/services"].includes(name),
  inScope: () => false,
  usage(object) {
    const { spec } = object as core.Service;
    const ports = spec.ports ?? [];
    const external = spec.type === "NodePort" || spec.type === "LoadBalancer";
    const own = spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts === false;
    const nodePorts = !external ? 0 : own ? ports.filter(({ nodePort }) => nodePort).length : ports.length;
    return new Map([
      ["services", one],
      ["count/services", one],
      ["services.nodeports", Quantity.of(nodePorts)],
      ["services.loadbalancers", Quantity.of(spec.type === "LoadBalancer" ? 1 : 0)],
    ]);
  },
};

/** Claims count by number and by the storage asked for, altogether and by storage class. */
export const claims: Evaluator = {
  group: "",
  plural: "persistentvolumeclaims",
  limits: (name) =>
    ["persistentvolumeclaims", "count/persistentvolumeclaims", "requests.storage"].includes(name) ||
    name.endsWith(`${ofClass}requests.storage`) ||
    name.endsWith(`${ofClass}persistentvolumeclaims`),
  inScope: () => false,
  usage(object) {
    const { metadata, spec } = object as core.PersistentVolumeClaim;
    const usage = new Map([
      ["persistentvolumeclaims", one],
      ["count/persistentvolumeclaims", one],
    ]);
    const className = metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "";
    if (className !== "") usage.set(`${className}${ofClass}persistentvolumeclaims`, one);
    const asked = spec.resources?.requests?.storage;
    if (asked === undefined) return usage;
    usage.set("requests.storage", quantityOf(asked));
    if (className !== "") usage.set(`${className}${ofClass}requests.storage`, quantityOf(asked));
    return usage;
  },
};
