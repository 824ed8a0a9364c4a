import { type core, node } from "@orchernetes/api";
import type { Client, Informer } from "@orchernetes/client";

/** Finds the runtime handler of a pod's runtime class. */
export interface RuntimeHandlers {
  /**
   * The handler; "" for pods without a class, which stands for the runtime's default.
   *
   * @throws ApiError NotFound when there is no such class
   */
  of(pod: core.Pod, signal: AbortSignal): Promise<string>;
}

/** @param classes watches the runtime classes; a missing one is read from the server, since it may be newer than the watch */
export function createRuntimeHandlers(
  client: Client | undefined,
  classes: Informer<node.RuntimeClass> | undefined,
): RuntimeHandlers {
  return {
    async of({ spec: { runtimeClassName: name } }, signal) {
      if (name === undefined || name === "") return "";
      const known = classes?.lister.get("", name);
      if (known !== undefined) return known.handler;
      if (client === undefined) throw new Error(`runtime class "${name}" cannot be looked up: there is no API server`);
      return (await client.resource(node.runtimeClasses).get(name, { signal })).handler;
    },
  };
}
