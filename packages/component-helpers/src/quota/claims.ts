import type { core } from "@orchernetes/api";
import { Quantity, quantityOf } from "@orchernetes/apimachinery";
import type { QuotaEvaluator } from "./evaluator.ts";

const names: ReadonlySet<string> = new Set([
  "persistentvolumeclaims",
  "count/persistentvolumeclaims",
  "requests.storage",
]);
/** `<class>.storageclass.storage.o8s.io/requests.storage`: the same for claims of one class. */
const ofClass = ".storageclass.storage.o8s.io/";
const classAnnotation = "volume.beta.orchernetes.io/storage-class";

const billion = 1_000_000_000n;

/** Rounds up to whole bytes: the API does not accept fractions in the status of a quota. */
function inWholeBytes(requested: Quantity): Quantity {
  const fraction = requested.nanos % billion;
  return fraction === 0n ? requested : new Quantity(requested.nanos + billion - fraction, requested.format);
}

/** Counts claims by number and by requested storage, in total and by storage class. */
export const claimQuota: QuotaEvaluator = {
  group: "",
  plural: "persistentvolumeclaims",
  operations: new Set(["CREATE", "UPDATE"]),
  limits: (name) =>
    names.has(name) || name.endsWith(`${ofClass}requests.storage`) || name.endsWith(`${ofClass}persistentvolumeclaims`),
  inScope: () => false,
  missing: () => undefined,
  usage(object) {
    const { metadata, spec } = object as core.PersistentVolumeClaim;
    const one = Quantity.of(1);
    const usage = new Map([
      ["persistentvolumeclaims", one],
      ["count/persistentvolumeclaims", one],
    ]);
    const className = metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "";
    if (className !== "") usage.set(`${className}${ofClass}persistentvolumeclaims`, one);
    const text = spec.resources?.requests?.storage;
    if (text === undefined) return usage;
    const requested = inWholeBytes(quantityOf(text));
    usage.set("requests.storage", requested);
    if (className !== "") usage.set(`${className}${ofClass}requests.storage`, requested);
    return usage;
  },
};
