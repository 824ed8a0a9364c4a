import type { core } from "@orchernetes/api";
import { unitAmountOf } from "@orchernetes/component-helpers";

/**
 * Amounts that scoring assumes for a container without requests: 0.1 CPU and 200 MiB, as upstream. Otherwise, any number of such
 * pods would be placed on one node.
 */
const DEFAULT_MILLI_CPU = 100;
const DEFAULT_MEMORY = 200 * 1024 * 1024;

/**
 * CPU in thousandths and memory in bytes as scoring counts them. Init containers run one after the other, so the
 * largest of them counts.
 */
export function nonZeroRequests(spec: core.PodSpec): { readonly cpu: number; readonly memory: number } {
  let cpu = 0;
  let memory = 0;
  const of = ({ resources: { requests } }: core.Container) => ({
    cpu: requests?.cpu === undefined ? DEFAULT_MILLI_CPU : unitAmountOf("cpu", requests.cpu),
    memory: requests?.memory === undefined ? DEFAULT_MEMORY : unitAmountOf("memory", requests.memory),
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
  if (spec.overhead?.cpu !== undefined) cpu += unitAmountOf("cpu", spec.overhead.cpu);
  if (spec.overhead?.memory !== undefined) memory += unitAmountOf("memory", spec.overhead.memory);
  return { cpu, memory };
}
