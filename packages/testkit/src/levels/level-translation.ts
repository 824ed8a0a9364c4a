import type { Translation } from "./translating-proxy.ts";

/** A resource in the version that a client asks for, and in the one that the server has. */
interface Moved {
  readonly resource: string;
  readonly asked: string;
  readonly served: string;
}

/**
 * Translates paths and objects of resources whose version changed between two levels. Their fields are the same in both
 * versions, as far as schedulers read them. Everything else is passed on as it is.
 */
function translationOf(moved: readonly Moved[]): Translation {
  const known = moved.map(({ resource, asked, served }) => {
    const path = new RegExp(`^/apis/${asked.replaceAll(".", "\\.")}/(?=(?:namespaces/[^/?]+/)?${resource}(?:[/?]|$))`);
    return {
      path,
      translation: {
        // Bodies are JSON and do not begin with a path.
        toServer: (text: string) => text.replace(path, `/apis/${served}/`),
        toClient: (text: string) => text.replaceAll(`"apiVersion":"${served}"`, `"apiVersion":"${asked}"`),
        textOnly: true,
      },
    };
  });
  return (asked) => known.find(({ path }) => path.test(asked))?.translation;
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

/** A client and a server of the same level. */
export const sameLevel: Translation = () => undefined;
