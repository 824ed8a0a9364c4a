import type { core, networking } from "@orchernetes/api";
import type { LabelSelector } from "@orchernetes/apimachinery";
import type { PolicyWorld } from "./reference-model.ts";

/** A source of whole numbers in [0, below). */
export type Numbers = (below: number) => number;

/** What the pods of random worlds have in common. */
export interface WorldOptions {
  readonly numbers: Numbers;
  /** Nodes that pods are on, one after the other. */
  readonly nodes: readonly string[];
  /** The addresses of each pod. */
  readonly addresses: readonly (readonly string[])[];
  /** Ports that connections are tried at. */
  readonly ports: readonly number[];
  /** Blocks that policies may name, with exceptions that are inside them. */
  readonly blocks: readonly networking.IPBlock[];
}

const namespaceNames = ["red", "green", "blue"];
const values = ["x", "y"];
const portNames = ["web", "dns", "none"];
const protocols = ["TCP", "UDP", "SCTP"] as const;

/** Random namespaces, pods and policies, small enough that every pair of pods can be tried. */
export class RandomWorld {
  readonly #options: WorldOptions;
  readonly #n: Numbers;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#n = options.numbers;
  }

  world(policies: number): PolicyWorld {
    return {
      namespaces: namespaceNames.map((name) => this.namespace(name)),
      pods: this.#options.addresses.map((_, i) => this.pod(i)),
      policies: Array.from({ length: policies }, (_, i) => this.policy(i)),
    };
  }

  namespace(name: string): core.Namespace {
    return { metadata: { name, labels: this.#labels() }, spec: {}, status: {} };
  }

  pod(i: number): core.Pod {
    const { nodes, addresses } = this.#options;
    return {
      metadata: { name: `pod-${i}`, namespace: this.#one(namespaceNames), labels: this.#labels() },
      spec: {
        nodeName: nodes[i % nodes.length] ?? "",
        hostNetwork: this.#n(12) === 0,
        containers: [
          { name: "a", resources: {}, ports: this.#some(2, () => this.#containerPort()) },
          { name: "b", resources: {}, ports: this.#some(1, () => this.#containerPort()) },
        ],
      },
      status: {
        phase: this.#n(12) === 0 ? "Succeeded" : "Running",
        podIPs: (addresses[i] ?? []).map((ip) => ({ ip })),
      },
    };
  }

  policy(i: number): networking.NetworkPolicy {
    const ingress = this.#some(3, () => ({ ...this.#peers("from"), ...this.#ports() }));
    const egress = this.#some(3, () => ({ ...this.#peers("to"), ...this.#ports() }));
    return {
      metadata: { name: `policy-${i}`, namespace: this.#one(namespaceNames) },
      spec: {
        podSelector: this.#selector(),
        ...(this.#n(4) === 0 ? {} : { ingress }),
        ...(this.#n(3) === 0 ? { egress } : {}),
        ...(this.#n(2) === 0 ? {} : { policyTypes: this.#subset(["Ingress", "Egress"] as const) }),
      },
      status: {},
    };
  }

  #peers<K extends "from" | "to">(key: K): { readonly [key in K]?: networking.NetworkPolicyPeer[] } {
    if (this.#n(6) === 0) return {};
    return { [key]: this.#some(3, () => this.#peer()) } as { readonly [key in K]: networking.NetworkPolicyPeer[] };
  }

  #peer(): networking.NetworkPolicyPeer {
    switch (this.#n(4)) {
      case 0:
        return { podSelector: this.#selector() };
      case 1:
        return { namespaceSelector: this.#selector() };
      case 2:
        return { podSelector: this.#selector(), namespaceSelector: this.#selector() };
      default: {
        const { cidr, except = [] } = this.#one(this.#options.blocks);
        return { ipBlock: { cidr, except: this.#subset(except) } };
      }
    }
  }

  #ports(): { ports?: networking.NetworkPolicyPort[] } {
    return this.#n(2) === 0 ? {} : { ports: this.#some(3, () => this.#port()) };
  }

  #port(): networking.NetworkPolicyPort {
    const protocol = this.#n(3) === 0 ? {} : { protocol: this.#one(protocols) };
    const port = this.#one(this.#options.ports);
    switch (this.#n(4)) {
      case 0:
        return protocol;
      case 1:
        return { ...protocol, port: this.#one(portNames) };
      case 2:
        return { ...protocol, port, endPort: port + this.#n(3) };
      default:
        return { ...protocol, port };
    }
  }

  #containerPort(): core.ContainerPort {
    const containerPort = this.#one(this.#options.ports);
    return { containerPort, name: this.#one(portNames.slice(0, 2)), protocol: this.#one(protocols) };
  }

  #selector(): LabelSelector {
    const key = this.#one(["a", "b"]);
    switch (this.#n(6)) {
      case 0:
        return { matchExpressions: [{ key, operator: "In", values: this.#n(2) === 0 ? values : ["y"] }] };
      case 1:
        return { matchExpressions: [{ key, operator: "NotIn", values: ["x"] }] };
      case 2:
        return { matchExpressions: [{ key, operator: this.#one(["Exists", "DoesNotExist"]) }] };
      case 3:
        return { matchLabels: { a: this.#one(values), b: this.#one(values) } };
      case 4:
        return { matchLabels: { [key]: this.#one(values) } };
      default:
        return {};
    }
  }

  #labels(): Record<string, string> {
    return Object.fromEntries(this.#subset(["a", "b"]).map((key) => [key, this.#one(values)]));
  }

  #one<T>(list: readonly T[]): T {
    const item = list[this.#n(list.length)];
    if (item === undefined) throw new RangeError("Cannot choose from an empty list");
    return item;
  }

  #some<T>(atMost: number, make: () => T): T[] {
    return Array.from({ length: this.#n(atMost + 1) }, make);
  }

  #subset<T>(list: readonly T[]): T[] {
    return list.filter(() => this.#n(2) === 0);
  }
}
