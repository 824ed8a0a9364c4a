import type { core } from "@orchernetes/api";
import { equalJson } from "@orchernetes/apimachinery";

type Amounts = Readonly<Record<string, string>>;

/**
 * The strategic merge patch from one node status to another. It contains only the differences, so that it does not
 * revert concurrent changes of other writers. Pure.
 *
 * @param shown status of the Node object now
 */
export function statusPatch(shown: core.NodeStatus, wanted: core.NodeStatus): object {
  const before: Readonly<Record<string, unknown>> = { ...shown };
  const { capacity = {}, allocatable = {}, conditions = [], addresses = [], ...fields } = wanted;
  const changed = Object.entries(fields).filter(([name, value]) => !equalJson(before[name] ?? null, value ?? null));
  const shownConditions = new Map((shown.conditions ?? []).map((condition) => [condition.type, condition]));
  return {
    ...Object.fromEntries(changed),
    ...nonEmpty("capacity", changedAmounts(shown.capacity, capacity)),
    ...nonEmpty("allocatable", changedAmounts(shown.allocatable, allocatable)),
    ...(equalJson(shown.addresses ?? [], addresses)
      ? {}
      : { addresses: replacedAddresses(addresses, shown.addresses ?? []) }),
    conditions: conditions.filter((condition) => !equalJson(shownConditions.get(condition.type) ?? null, condition)),
  };
}

/** The merge patch between two resource lists. Removed keys are null. */
function changedAmounts(shown: Amounts = {}, wanted: Amounts): Readonly<Record<string, string | null>> {
  return Object.fromEntries([
    ...Object.entries(wanted).filter(([name, amount]) => shown[name] !== amount),
    ...Object.keys(shown).flatMap((name) => (Object.hasOwn(wanted, name) ? [] : [[name, null] as const])),
  ]);
}

const nonEmpty = (name: string, value: object): object => (Object.keys(value).length === 0 ? {} : { [name]: value });

/** Addresses are merged by type: removed types need a delete directive. */
function replacedAddresses(wanted: readonly core.NodeAddress[], shown: readonly core.NodeAddress[]): readonly object[] {
  const gone = shown.filter(({ type }) => wanted.every((address) => address.type !== type));
  return [...wanted, ...gone.map(({ type }) => ({ $patch: "delete", type }))];
}
