import type { core } from "@orchernetes/api";
import { type Selector, type Stored, selectorFromSet } from "@orchernetes/apimachinery";

export type Service = Stored<core.Service>;
export type Pod = Stored<core.Pod>;

const compiled = new WeakMap<object, Selector>();

/** The pods that a service means; undefined when it names none and its endpoints are somebody else's business. */
export function serviceSelector(service: Service): Selector | undefined {
  const { selector } = service.spec;
  if (selector === undefined) return undefined;
  let found = compiled.get(selector);
  if (found === undefined) {
    found = selectorFromSet(selector);
    compiled.set(selector, found);
  }
  return found;
}

/** Whether clients get pod addresses instead of one of the service. */
export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIP === "None" || spec.clusterIP === undefined || spec.clusterIP === "";
}
