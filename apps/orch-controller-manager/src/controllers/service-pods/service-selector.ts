import type { core } from "@orchernetes/api";
import { type Selector, type Stored, selectorFromSet } from "@orchernetes/apimachinery";

/** A Service as the API server returns it. */
export type Service = Stored<core.Service>;
/** A Pod as the API server returns it. */
export type Pod = Stored<core.Pod>;

const compiled = new WeakMap<object, Selector>();

/** The selector of a service's pods; undefined if it has none, so that its endpoints are managed by users. */
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

/** Whether the service is headless: DNS returns the addresses of its pods instead of a cluster IP. */
export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIP === "None" || spec.clusterIP === undefined || spec.clusterIP === "";
}
