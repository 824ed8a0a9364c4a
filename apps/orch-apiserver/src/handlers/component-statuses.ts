import { request } from "node:https";
import { core } from "@orchernetes/api";
import {
  type ApiObject,
  badRequest,
  canonicalize,
  notFound,
  parseFieldSelector,
  parseLabelSelector,
} from "@orchernetes/apimachinery";
import type { Query, RequestContext, RequestHandler } from "@orchernetes/apiserver";
import type { Check } from "@orchernetes/component";
import { messageOf } from "@orchernetes/kernel";

/** The result of a component's health check. */
interface ComponentHealth {
  readonly status: "True" | "False" | "Unknown";
  readonly message?: string;
  readonly error?: string;
}

/** A component with a health check. */
export interface Component {
  readonly name: string;
  ask(signal: AbortSignal): Promise<ComponentHealth>;
}

const timeoutMs = 5000;
const maxMessageBytes = 4096;

/** A daemon of this host, by its `/healthz`. Its certificate is its own affair: nothing secret is sent. */
export function daemonComponent(name: string, port: number): Component {
  const url = `https://127.0.0.1:${port}/healthz`;
  return {
    name,
    ask: (signal) =>
      new Promise((resolve) => {
        const down = (message: string) => resolve({ status: "False", message });
        const outgoing = request(url, { rejectUnauthorized: false, agent: false, signal }, (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            if (text.length < maxMessageBytes) text += chunk;
          });
          response.on("error", (error) => down(`Get "${url}": ${error.message}`));
          response.on("end", () => {
            const code = response.statusCode ?? 0;
            if (code >= 200 && code < 400) resolve({ status: "True", message: text });
            else down(`HTTP probe failed with statuscode: ${code}`);
          });
        });
        outgoing.on("error", (error) => down(`Get "${url}": ${error.message}`));
        outgoing.end();
      }),
  };
}

/** The stores, as `etcd-0` and so on, by the checks that readiness uses. */
export function storeComponents(checks: readonly Check[]): readonly Component[] {
  return checks.map(({ check }, i) => ({
    name: `etcd-${i}`,
    async ask(signal) {
      try {
        await check(signal);
        return { status: "True", message: "ok" };
      } catch (error) {
        return { status: "False", message: messageOf(error) };
      }
    },
  }));
}

async function statusOf(component: Component, signal: AbortSignal): Promise<core.ComponentStatus> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const health = await component
    .ask(limited)
    .catch((error: unknown): ComponentHealth => ({ status: "Unknown", error: String(error) }));
  const status = { metadata: { name: component.name }, conditions: [{ type: "Healthy", ...health }] };
  return canonicalize(core.ComponentStatus, status);
}

/** @throws ApiError BadRequest for what is no selector */
function selection(query: Query): (name: string) => boolean {
  try {
    const fields = parseFieldSelector(query.get("fieldSelector") ?? "");
    const labels = parseLabelSelector(query.get("labelSelector") ?? "");
    return (name) => fields.matches({ "metadata.name": name }) && labels.matches({});
  } catch (cause) {
    throw badRequest(messageOf(cause), { cause });
  }
}

/** `componentstatuses`: checks the scheduler, the controller manager and the stores at every request. */
export function componentStatusesHandler(components: readonly Component[]): RequestHandler {
  return {
    verbs: ["get", "list"],
    async handle({ requestInfo, query, signal, definition }: RequestContext) {
      if (requestInfo.verb === "get") {
        const component = components.find(({ name }) => name === requestInfo.name);
        if (component === undefined) throw notFound(definition, requestInfo.name);
        const object = await statusOf(component, signal);
        return { type: "object", object: { kind: "ComponentStatus", apiVersion: "v1", ...object } };
      }
      const isSelected = selection(query);
      const asked = components.filter(({ name }) => isSelected(name));
      const items: readonly ApiObject[] = await Promise.all(asked.map((component) => statusOf(component, signal)));
      return { type: "object", object: { kind: "ComponentStatusList", apiVersion: "v1", metadata: {}, items } };
    },
  };
}
