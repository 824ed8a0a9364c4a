import type { core } from "@orchernetes/api";
import { Quantity, quantityOf } from "@orchernetes/apimachinery";
import type { Evaluator } from "./evaluator.ts";

const NAMES: ReadonlySet<string> = new Set([
  "persistentvolumeclaims",
  "count/persistentvolumeclaims",
  "requests.storage",
]);
/** `<class>.storageclass.storage.o8s.io/requests.storage`: the same for claims of one class. */
const OF_CLASS = ".storageclass.storage.o8s.io/";
const CLASS_ANNOTATION = "volume.beta.orchernetes.io/storage-class";

/** Claims count by number and by the storage asked for, altogether and by storage class. */
export const claims: Evaluator = {
  operations: new Set(["CREATE", "UPDATE"]),
  limits: (name) =>
    NAMES.has(name) ||
    name.endsWith(`${OF_CLASS}requests.storage`) ||
    name.endsWith(`${OF_CLASS}persistentvolumeclaims`),
  inScope: () => false,
  missing: () => undefined,
  usage(object) {
    const { metadata, spec } = object as core.PersistentVolumeClaim;
    const one = Quantity.of(1);
    const usage = new Map([
      ["persistentvolumeclaims", one],
      ["count/persistentvolumeclaims", one],
    ]);
    const className = metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? "";
    if (className !== "") usage.set(`${className}${OF_CLASS}persistentvolumeclaims`, one);
    const asked = spec.resources?.requests?.storage;
    if (asked === undefined) return usage;
    usage.set("requests.storage", quantityOf(asked));
    if (className !== "") usage.set(`${className}${OF_CLASS}requests.storage`, quantityOf(asked));
    return usage;
  },
};
