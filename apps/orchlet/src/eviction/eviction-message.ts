import type { core } from "@orchernetes/api";
import { Quantity, quantityOf } from "@orchernetes/apimachinery";
import { thresholdBytes } from "../node/capacity.ts";
import type { ContainerUse, PodUse } from "../stats/summary/pod-use.ts";
import {
  type EvictionSignal,
  type ScarceResource,
  type SignalReading,
  type SignalReadings,
  signalMeanings,
} from "./signals.ts";
import type { Threshold } from "./thresholds.ts";

/** What users see of an eviction. */
export interface EvictionText {
  readonly message: string;
  /** Annotations of the event, for programs. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** Signals that are counts rather than bytes. */
const counted: ReadonlySet<EvictionSignal> = new Set(["nodefs.inodesFree", "imagefs.inodesFree", "pid.available"]);

const binary = (value: number): string => Quantity.of(Math.floor(value), "BinarySI").toString();

/**
 * The message of an eviction, which is the original's: the scarce resource, the threshold, and the containers that use more of the resource
 * than they request. Pure.
 *
 * @param due the thresholds that pods are evicted for; the first that is about the resource is shown
 */
export function evictionText(
  pod: core.Pod,
  use: PodUse | undefined,
  resource: ScarceResource,
  due: readonly Threshold[],
  readings: SignalReadings,
): EvictionText {
  const excesses = use === undefined ? [] : excessesOf(pod, use, resource);
  const parts = [
    `The node was low on resource: ${resource}. `,
    thresholdPart(resource, due, readings),
    ...excesses.map(
      ({ name, used, request }) =>
        `Container ${name} was using ${used}, request is ${request}, has larger consumption of ${resource}. `,
    ),
  ];
  return {
    message: parts.join(""),
    annotations: {
      ...(use !== undefined && {
        offending_containers: excesses.map(({ name }) => name).join(),
        offending_containers_usage: excesses.map(({ used }) => used).join(),
        starved_resource: resource,
      }),
    },
  };
}

function thresholdPart(resource: ScarceResource, due: readonly Threshold[], readings: SignalReadings): string {
  const threshold = due.find(({ signal }) => signalMeanings[signal].resource === resource);
  const reading = threshold && readings.get(threshold.signal);
  if (threshold === undefined || reading === undefined) return "";
  return `Threshold quantity: ${minimumText(threshold, reading)}, available: ${availableText(threshold, reading)}. `;
}

const minimumText = ({ minimum }: Threshold, { capacity }: SignalReading): string =>
  minimum.endsWith("%") ? binary(thresholdBytes(minimum, capacity)) : quantityOf(minimum).toString();

const availableText = ({ signal }: Threshold, { available }: SignalReading): string =>
  counted.has(signal) ? Quantity.of(available).toString() : binary(available);

interface Excess {
  readonly name: string;
  readonly used: string;
  readonly request: string;
}

function excessesOf(pod: core.Pod, use: PodUse, resource: ScarceResource): readonly Excess[] {
  return use.containers.flatMap((container): readonly Excess[] => {
    const spec = pod.spec.containers.find(({ name }) => name === container.name);
    const used = usedOf(container, resource);
    if (spec === undefined || used === undefined) return [];
    const request = quantityOf(spec.resources?.requests?.[resource] ?? "0");
    const amount = Quantity.of(Math.floor(used), "BinarySI");
    if (amount.cmp(request) <= 0) return [];
    return [{ name: container.name, used: amount.toString(), request: request.toString() }];
  });
}

/** What a container uses of a resource that it can request. */
function usedOf({ memoryBytes, rootfs, logs }: ContainerUse, resource: ScarceResource): number | undefined {
  if (resource === "memory") return memoryBytes;
  return resource === "ephemeral-storage" ? rootfs.usedBytes + logs.usedBytes : undefined;
}
