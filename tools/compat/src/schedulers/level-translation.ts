import type { Translation } from "../orchctl/translating-proxy.ts";

/** A resource in the version that the scheduler asks for, and in the one that the server has. */
interface Moved {
  readonly resource: string;
  readonly asked: string;
  readonly served: string;
}

/**
 * Translates paths and objects of resources whose version changed between two levels. Their fields are the same in both
 * versions, as far as schedulers read them.
 */
function translationOf(moved: readonly Moved[]): Translation {
  const paths = moved.map(({ resource, asked, served }) => ({
    path: new RegExp(`^/apis/${asked.replaceAll(".", "\\.")}/(?=(?:namespaces/[^/?]+/)?${resource}(?:[/?]|$))`),
    prefix: `/apis/${served}/`,
  }));
  return {
    // Bodies are JSON and do not begin with a path.
    toServer: (text) => paths.reduce((translated, { path, prefix }) => translated.replace(path, prefix), text),
    toClient: (text) =>
      moved.reduce(
        (translated, { asked, served }) => translated.replaceAll(`"apiVersion":"${served}"`, `"apiVersion":"${asked}"`),
        text,
      ),
  };
}

/** A scheduler of level 1.27 at a server of level 1.20. */
export const newAtOld: Translation = translationOf([
  { resource: "poddisruptionbudgets", asked: "policy/v1", served: "policy/v1beta1" },
  { resource: "csistoragecapacities", asked: "storage.o8s.io/v1", served: "storage.o8s.io/v1alpha1" },
]);

/** A scheduler of level 1.20 at a server of level 1.27. */
export const oldAtNew: Translation = translationOf([
  { resource: "poddisruptionbudgets", asked: "policy/v1beta1", served: "policy/v1" },
]);
