/** An interface of this host. */
export interface FoundInterface {
  /** Its type, such as `dummy`; "" for hardware. */
  readonly kind: string;
  /** The text that somebody gave it; "" without one. */
  readonly alias: string;
  /** Its addresses without link-local ones, which the kernel assigns. */
  readonly addresses: readonly string[];
}

/** Reads the output of `ip -details -json address show dev NAME`. Undefined if the interface is not in it, or it is not readable. */
export function readInterface(text: string, name: string): FoundInterface | undefined {
  const found = listOf(parsed(text)).find((one) => field(one, "ifname") === name);
  if (found === undefined) return undefined;
  const addresses = listOf(field(found, "addr_info"))
    .filter((one) => field(one, "scope") !== "link")
    .map((one) => textOf(field(one, "local")));
  return {
    kind: textOf(field(field(found, "linkinfo"), "info_kind")),
    alias: textOf(field(found, "ifalias")),
    addresses,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
