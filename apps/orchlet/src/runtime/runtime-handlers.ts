import { type core, node } from "@orchernetes/api";
import type { Client, Informer } from "@orchernetes/client";

/** Finds the runtime handler of a pod's runtime class. */
export interface RuntimeHandlers {
  /**
   * The handler of the pod's runtime class; "" for a pod without a class, which gets the runtime's default handler.
   *
   * @throws ApiError NotFound if the class does not exist; Error without an API server
   */
  of(pod: core.Pod, signal: AbortSignal): Promise<string>;
}

/**
 * Creates the lookup of runtime handlers.
 *
 * @param classes informer of the runtime classes. A class that it lacks is read from the server: it may be newer than
 *   the watch.
 */
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
