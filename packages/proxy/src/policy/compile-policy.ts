import type { networking } from "@orchernetes/api";
import type { Selector } from "@orchernetes/apimachinery";
import { type AllowedTraffic, allowedTraffic, type Direction } from "./allowed-traffic.ts";
import { compilePeers, compileSelector } from "./compile-peers.ts";
import { compilePorts } from "./compile-ports.ts";

/** A policy in the form in which tables are made of it. */
export interface CompiledPolicy {
  readonly namespace: string;
  /** The pods that it is about; undefined if its selector is not valid, so that nobody can know them. */
  readonly pods: Selector | undefined;
  /** What it allows in the directions that it is about. */
  readonly allowed: Readonly<Partial<Record<Direction, AllowedTraffic>>>;
  /** What is not valid in it, and so matches nothing. The API server accepts no such policy. */
  readonly errors: readonly string[];
}

/** Compiles a policy. */
export function compilePolicy({ metadata, spec }: networking.NetworkPolicy): CompiledPolicy {
  const namespace = metadata.namespace ?? "";
  const errors: string[] = [];
  const pods = compileSelector(spec.podSelector, (error) => errors.push(`podSelector: ${error}`));
  const allowed = (direction: Direction): AllowedTraffic => {
    const rules = rulesOf(spec, direction).map(({ peers, ports }, i) => {
      const report = (error: string) => errors.push(`${direction}[${i}].${error}`);
      return { peers: compilePeers(peers, namespace, report), ports: compilePorts(ports, report) };
    });
    return allowedTraffic(direction, rules);
  };
  const types = policyTypes(spec);
  return {
    namespace,
    pods,
    allowed: {
      ...(types.has("Ingress") ? { ingress: allowed("ingress") } : {}),
      ...(types.has("Egress") ? { egress: allowed("egress") } : {}),
    },
    errors,
  };
}

interface Rule {
  readonly peers: readonly networking.NetworkPolicyPeer[] | undefined;
  readonly ports: readonly networking.NetworkPolicyPort[] | undefined;
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
