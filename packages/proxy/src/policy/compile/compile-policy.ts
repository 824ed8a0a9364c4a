import type { networking } from "@orchernetes/api";
import type { Selector } from "@orchernetes/apimachinery";
import {
  type AllowedTraffic,
  allowedTraffic,
  type Direction,
  nothingAllowed,
  type RuleMatch,
} from "./allowed-traffic.ts";
import { compilePeers, compileSelector } from "./compile-peers.ts";
import { compilePortLists, compilePorts } from "./compile-ports.ts";
import { excessOf, type PolicySize, policyLimits, sizeOfPolicy } from "./policy-limits.ts";

/** A policy in the form in which tables are made of it. */
export interface CompiledPolicy {
  readonly namespace: string;
  /** The pods that it is about; undefined if its selector is not valid, so that nobody can know them. */
  readonly pods: Selector | undefined;
  /** What it allows in the directions that it is about. */
  readonly allowed: Readonly<Partial<Record<Direction, AllowedTraffic>>>;
  /** What it was compiled from. */
  readonly spec: networking.NetworkPolicySpec;
  /** Less than that of every policy of its namespace that was created later. */
  readonly age: string;
  readonly size: PolicySize;
  /** What it has more of than a policy may have, so that it allows nothing. */
  readonly excess: string | undefined;
  /** What is not valid in it, and so matches nothing. The API server accepts no such policy. */
  readonly errors: readonly string[];
}

/** Compiles a policy. */
export function compilePolicy(policy: networking.NetworkPolicy): CompiledPolicy {
  const { metadata, spec } = policy;
  const namespace = metadata.namespace ?? "";
  const errors: string[] = [];
  const pods = compileSelector(spec.podSelector, (error) => errors.push(`podSelector: ${error}`));
  const size = sizeOfPolicy(spec);
  const excess = excessOf(size, policyLimits);
  const allowed = (direction: Direction): AllowedTraffic =>
    excess === undefined
      ? allowedTraffic(direction, compileRules(rulesOf(spec, direction), namespace, direction, errors))
      : nothingAllowed;
  const types = policyTypes(spec);
  return {
    namespace,
    pods,
    spec,
    age: ageOf(policy),
    size,
    excess,
    allowed: {
      ...(types.has("Ingress") ? { ingress: allowed("ingress") } : {}),
      ...(types.has("Egress") ? { egress: allowed("egress") } : {}),
    },
    errors,
  };
}

/** When a policy was created, in a text that has the order of time; the name decides between policies of the same second. */
export function ageOf({ metadata }: networking.NetworkPolicy): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;
}

interface Rule {
  readonly peers: readonly networking.NetworkPolicyPeer[] | undefined;
  readonly ports: readonly networking.NetworkPolicyPort[] | undefined;
}

/** Rules that name only ports share one set: each set of the packet filter costs time when a table is loaded. */
function compileRules(
  rules: readonly Rule[],
  namespace: string,
  direction: Direction,
  errors: string[],
): readonly RuleMatch[] {
  const reported = rules.map((rule, i) => ({
    ...rule,
    report: (error: string) => void errors.push(`${direction}[${i}].${error}`),
  }));
  const [forAll, forSome] = [reported.filter(isForAll), reported.filter((rule) => !isForAll(rule))];
  const matches = forSome.map(({ peers, ports, report }) => ({
    peers: compilePeers(peers, namespace, report),
    ports: compilePorts(ports, report),
  }));
  return forAll.length === 0 ? matches : [{ peers: { kind: "any" }, ports: compilePortLists(forAll) }, ...matches];
}

function isForAll({ peers = [] }: Rule): boolean {
  return peers.length === 0;
}

function rulesOf({ ingress = [], egress = [] }: networking.NetworkPolicySpec, direction: Direction): readonly Rule[] {
  return direction === "ingress"
    ? ingress.map(({ from, ports }) => ({ peers: from, ports }))
    : egress.map(({ to, ports }) => ({ peers: to, ports }));
}

/** The directions of a policy. The API server sets them: ingress always, and egress if there are rules for it. */
function policyTypes({ policyTypes: types = [], egress = [] }: networking.NetworkPolicySpec): ReadonlySet<string> {
  if (types.length > 0) return new Set(types);
  return new Set(egress.length > 0 ? ["Ingress", "Egress"] : ["Ingress"]);
}
