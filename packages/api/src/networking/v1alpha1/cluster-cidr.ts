import {
  defineResource,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  int32,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  parseCidr,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { NodeSelector } from "../../core/v1/types/affinity.ts";
import { validateNodeSelector } from "../../core/v1/validation/affinity.ts";
import { age, column, name, orNone } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable } from "../../shared/immutable.ts";

const pkg = "networking/v1alpha1";

/** A range of addresses from which nodes get the ranges of their pods. All of `spec` is immutable. Source: KEP-2593. */
export const ClusterCIDR = object(pkg, "ClusterCIDR", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ClusterCIDRSpec),
}));
export interface ClusterCIDR extends Infer<typeof ClusterCIDR> {}

/** A range of addresses, how it is split and for which nodes. */
export const ClusterCIDRSpec = message(pkg, "ClusterCIDRSpec", () => ({
  nodeSelector: pointer(1, NodeSelector),
  perNodeHostBits: required(2, int32),
  ipv4: value(3, string),
  ipv6: value(4, string),
}));
export interface ClusterCIDRSpec extends Infer<typeof ClusterCIDRSpec> {}

export const ClusterCIDRList = object(pkg, "ClusterCIDRList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ClusterCIDR)),
}));
export interface ClusterCIDRList extends Infer<typeof ClusterCIDRList> {}

type Term = NonNullable<ClusterCIDRSpec["nodeSelector"]>["nodeSelectorTerms"][number];
type Requirement = NonNullable<Term["matchExpressions"]>[number];

function requirementText({ key, operator, values = [] }: Requirement): string {
  switch (operator) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "In":
      return `${key} in (${values.join(",")})`;
    case "NotIn":
      return `${key} notin (${values.join(",")})`;
    default:
      return `${key} ${operator} ${values.join(",")}`;
  }
}

/** The nodes of a range as the text of a selector; alternatives are separated by `||`. */
export function selectorText({ nodeSelector }: ClusterCIDRSpec): string {
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return "<none>";
  const textOf = (term: Term): string =>
    [...(term.matchExpressions ?? []), ...(term.matchFields ?? [])].map(requirementText).join(",");
  return terms.map(textOf).join(" || ");
}

const minHostBits = 4;

function validateSpec(spec: ClusterCIDRSpec): FieldError[] {
  const path = field("spec");
  const errors: FieldError[] = [];
  if (spec.nodeSelector !== undefined) validateNodeSelector(spec.nodeSelector, path.child("nodeSelector"), errors);
  if (spec.ipv4 === "" && spec.ipv6 === "") {
    return [...errors, field.required(path, "one or both of `ipv4` and `ipv6` must be specified")];
  }
  for (const family of ["ipv4", "ipv6"] as const) {
    if (spec[family] !== "") errors.push(...validateRange(spec[family], spec.perNodeHostBits, family, path));
  }
  return errors;
}

/** Validates a range of one family, and that it has room for the hosts of a node. */
function validateRange(text: string, hostBits: number, family: "ipv4" | "ipv6", path: FieldPath): FieldError[] {
  const cidr = parseCidr(text);
  if (cidr === undefined)
    return [field.invalid(path.child(family), text, "must be a valid CIDR: invalid CIDR address")];
  const width = family === "ipv4" ? 32 : 128;
  if (cidr.address.length * 8 !== width) {
    return [field.invalid(path.child(family), text, `must be a valid ${family === "ipv4" ? "IPv4" : "IPv6"} CIDR`)];
  }
  const at = path.child("perNodeHostBits");
  if (hostBits < minHostBits) return [field.invalid(at, hostBits, `must be greater than or equal to ${minHostBits}`)];
  const most = width - cidr.bits;
  return hostBits > most ? [field.invalid(at, hostBits, `must be less than or equal to ${most}`)] : [];
}

/** `networking.o8s.io/v1alpha1` cluster CIDRs: ranges from which nodes get the addresses of their pods. */
export const clusterCIDRs = defineResource<ClusterCIDR>({
  group: "networking.o8s.io",
  version: "v1alpha1",
  kind: "ClusterCIDR",
  plural: "clustercidrs",
  singular: "clustercidr",
  shortNames: ["cc"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: ClusterCIDR,
  storagePrefix: "/registry/clustercidrs",
  strategy: {
    nameFormat: "dns-label",
    validate: ({ spec }) => validateSpec(spec),
    validateUpdate: ({ spec }, old) => {
      const parts = ["nodeSelector", "perNodeHostBits", "ipv4", "ipv6"] as const;
      return parts.flatMap((part) => immutable(spec[part], old.spec[part], field("spec", part)));
    },
    generation: ({ spec }) => spec,
  },
  columns: [
    name(),
    column("PerNodeHostBits", "string", "Bits of an address that are the node's own.", ({ spec }) =>
      String(spec.perNodeHostBits),
    ),
    column("IPv4", "string", "IPv4 range.", ({ spec }) => orNone(spec.ipv4)),
    column("IPv6", "string", "IPv6 range.", ({ spec }) => orNone(spec.ipv6)),
    age(),
    column("NodeSelector", "string", "Nodes that take addresses from it.", ({ spec }) => selectorText(spec), 1),
  ],
});
