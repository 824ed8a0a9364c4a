import { pipeline } from "node:stream/promises";
import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { metricsContentType } from "@orchernetes/component";
import { type Amounts, podLimits, podRequests } from "@orchernetes/component-helpers";
import { type EventLoop, type HttpHandler, isGone } from "@orchernetes/kernel";

/** Pods whose lines are written in one turn of the event loop. */
const PODS_PER_TURN = 500;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly amounts: (spec: core.PodSpec) => Amounts;
}

const families: readonly Family[] = [
  {
    name: "orch_pod_resource_limit",
    help: "Resource limits of each pod, with their unit.",
    amounts: podLimits,
  },
  {
    name: "orch_pod_resource_request",
    help: "Resource requests of each pod, with their unit.",
    amounts: podRequests,
  },
];

const inBytes: ReadonlySet<string> = new Set(["memory", "storage", "ephemeral-storage"]);

/** The unit of a resource, with upstream's names. */
function unitOf(resource: string): string {
  if (resource === "cpu") return "cores";
  return inBytes.has(resource) || resource.startsWith("hugepages-") ? "bytes" : "integer";
}

// Names of schedulers are not validated by the API.
const escaped = (text: string): string => text.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`));

/** The lines of a pod in a family. Pods that ended use nothing. */
function linesOf({ name, amounts }: Family, { metadata, spec, status }: Stored<core.Pod>): string {
  const ended = status.phase === "Succeeded" || status.phase === "Failed";
  if (spec.nodeName && ended) return "";
  let text = "";
  for (const [resource, quantity] of amounts(spec)) {
    if (quantity.isZero) continue;
    const labels = {
      namespace: metadata.namespace ?? "",
      pod: metadata.name,
      node: spec.nodeName ?? "",
      scheduler: spec.schedulerName ?? "",
      priority: String(spec.priority ?? ""),
      resource,
      unit: unitOf(resource),
    };
    const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
    text += `${name}{${pairs.join()}} ${quantity.toNumber()}\n`;
  }
  return text;
}

/**
 * The page `/metrics/resources` in parts: what pods request and may use, for plans of capacity. It has a line for each
 * resource of each pod, so it is written in several turns of the event loop.
 */
export async function* resourcePage(pods: readonly Stored<core.Pod>[], loop: EventLoop): AsyncIterable<string> {
  for (const family of families) {
    if (pods.length > 0) yield `# HELP ${family.name} [STABLE] ${family.help}\n# TYPE ${family.name} gauge\n`;
    for (let i = 0; i < pods.length; i += PODS_PER_TURN) {
      const text = pods
        .slice(i, i + PODS_PER_TURN)
        .map((pod) => linesOf(family, pod))
        .join("");
      if (text !== "") yield text;
      await loop.nextTurn();
    }
  }
}

/** Serves `/metrics/resources`. */
export function resourceMetrics(pods: () => readonly Stored<core.Pod>[], loop: EventLoop): HttpHandler {
  return async (request, response) => {
    response.writeHead(200, { "content-type": metricsContentType });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    try {
      await pipeline(resourcePage(pods(), loop), response);
    } catch (error) {
      // The client has gone.
      if (!isGone(response)) throw error;
    }
  };
}
