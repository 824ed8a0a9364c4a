import { core } from "@orchernetes/api";
import { milliValueOf } from "@orchernetes/apimachinery";

/**
 * Number of exclusive CPUs that a container requests: its CPU request in a Guaranteed pod, if that is a whole number; otherwise 0.
 */
export function guaranteedCpus(pod: core.Pod, container: core.Container): number {
  const milli = milliValueOf(container.resources?.requests?.cpu ?? "0");
  if (milli === 0 || milli % 1000 !== 0) return 0;
  return core.podQosClass(pod.spec) === "Guaranteed" ? milli / 1000 : 0;
}

/**
 * Number of exclusive CPUs that a pod requests: the sum of its containers, or that of its largest init container if that is more.
 */
export function podGuaranteedCpus(pod: core.Pod): number {
  const { containers, initContainers = [] } = pod.spec;
  const sum = containers.reduce((total, container) => total + guaranteedCpus(pod, container), 0);
  return Math.max(sum, ...initContainers.map((container) => guaranteedCpus(pod, container)));
}
