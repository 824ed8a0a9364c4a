import { core } from "@orchernetes/api";
import { milliValueOf } from "@orchernetes/apimachinery";

/** How many CPUs a container has for itself: a whole number of them in a pod of class Guaranteed, otherwise 0. */
export function guaranteedCpus(pod: core.Pod, container: core.Container): number {
  const milli = milliValueOf(container.resources?.requests?.cpu ?? "0");
  if (milli === 0 || milli % 1000 !== 0) return 0;
  return core.podQosClass(pod.spec) === "Guaranteed" ? milli / 1000 : 0;
}

/** How many CPUs a pod has for itself: those of its containers, or of its largest init container if that has more. */
export function podGuaranteedCpus(pod: core.Pod): number {
  const { containers, initContainers = [] } = pod.spec;
  const sum = containers.reduce((total, container) => total + guaranteedCpus(pod, container), 0);
  return Math.max(sum, ...initContainers.map((container) => guaranteedCpus(pod, container)));
}
