import { Quantity } from "@orchernetes/apimachinery";

/**
 * What a pod needs of a node and what there is, where a filter rejected the node. For explanations: decisions never
 * read it.
 */
export interface Shortfall {
  /** What is compared, such as a resource (`cpu`), `label zone` or `host port 80/TCP`. */
  readonly what: string;
  readonly needed: string;
  readonly available: string;
  /** How much more would be enough, in the unit of `needed`; absent where the difference is no amount. */
  readonly missing?: string;
  /** The missing part of what is needed, above 0, to compare nodes by; absent where the difference is no amount. */
  readonly share?: number;
}

/** The text for the value of a label that a node does not have. */
export const NO_LABEL = "(no such label)";

/** The value of a node's label, or that there is none. */
export const labelText = (labels: Readonly<Record<string, string>> | undefined, key: string): string =>
  labels !== undefined && Object.hasOwn(labels, key) ? JSON.stringify(labels[key]) : NO_LABEL;

/** Whether amounts of the resource are bytes. */
const isBytes = (resource: string): boolean =>
  resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");

/**
 * An amount as a quantity.
 *
 * @param amount whole: thousandths for CPU, bytes or pieces for everything else
 */
function amountText(resource: string, amount: number): string {
  if (resource === "cpu") return Quantity.ofMilli(amount).canonical();
  return Quantity.of(amount, isBytes(resource) ? "BinarySI" : "DecimalSI").canonical();
}

/** A resource that the node does not have enough of. Amounts are as for {@link amountText}. */
export function amountShortfall(resource: string, needed: number, available: number): Shortfall {
  const missing = needed - available;
  return {
    what: resource,
    needed: amountText(resource, needed),
    available: amountText(resource, available),
    missing: amountText(resource, missing),
    share: missing / Math.max(needed, 1),
  };
}
