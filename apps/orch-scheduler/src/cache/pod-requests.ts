import type { core } from "@orchernetes/api";
import { milliValueOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";

/** Amounts by resource name: cpu in milli-units, everything else in whole units (bytes, pieces). */
export type Amounts = ReadonlyMap<string, number>;

/** What scoring assumes of a container that asks for nothing: 0.1 CPU and 200 MB. */
const DEFAULT_MILLI_CPU = 100;
const DEFAULT_MEMORY = 200 * 1024 * 1024;

/** Number of a quantity in the unit of its resource. */
export function amountOf(resource: string, quantity: string): number {
  return resource === "cpu" ? milliValueOf(quantity) : wholeValueOf(quantity);
}

function add(into: Map<string, number>, requests: Readonly<Record<string, string>> | undefined): void {
  if (requests === undefined) return;
  for (const [resource, quantity] of Object.entries(requests))
    into.set(resource, (into.get(resource) ?? 0) + amountOf(resource, quantity));
}

function raise(into: Map<string, number>, requests: Readonly<Record<string, string>> | undefined): void {
  if (requests === undefined) return;
  for (const [resource, quantity] of Object.entries(requests))
    into.set(resource, Math.max(into.get(resource) ?? 0, amountOf(resource, quantity)));
}

/** What a pod asks of its node: the sum over its containers, at least what any init container needs, plus overhead. */
export function podRequests(spec: core.PodSpec): Amounts {
  const total = new Map<string, number>();
  for (const container of spec.containers) add(total, container.resources.requests);
  for (const container of spec.initContainers ?? []) raise(total, container.resources.requests);
  add(total, spec.overhead);
  return total;
}

/** CPU and memory as scoring counts them, with a little for containers that ask for nothing. */
export function nonZeroRequests(spec: core.PodSpec): { readonly cpu: number; readonly memory: number } {
  let cpu = 0;
  let memory = 0;
  const of = ({ resources: { requests } }: core.Container) => ({
    cpu: requests?.cpu === undefined ? DEFAULT_MILLI_CPU : amountOf("cpu", requests.cpu),
    memory: requests?.memory === undefined ? DEFAULT_MEMORY : amountOf("memory", requests.memory),
  });
  for (const container of spec.containers) {
    const wants = of(container);
    cpu += wants.cpu;
    memory += wants.memory;
  }
  for (const container of spec.initContainers ?? []) {
    const wants = of(container);
    cpu = Math.max(cpu, wants.cpu);
    memory = Math.max(memory, wants.memory);
  }
  if (spec.overhead?.cpu !== undefined) cpu += amountOf("cpu", spec.overhead.cpu);
  if (spec.overhead?.memory !== undefined) memory += amountOf("memory", spec.overhead.memory);
  return { cpu, memory };
}
