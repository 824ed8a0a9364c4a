import type { core } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";

/** The result of an attempt to delete the content of a namespace. */
export interface DeletionResult {
  /** Errors of discovery; resources of these groups may be missing. */
  readonly discoveryErrors: readonly string[];
  /** Errors of listing or deleting objects. */
  readonly deletionErrors: readonly string[];
  /** Number of remaining objects by resource, such as `pods.` or `deployments.apps`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Number of remaining objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

type Condition = core.NamespaceCondition;

const listed = (counts: ReadonlyMap<string, number>, verb: string): string =>
  [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .join(", ");

function wantedConditions(result: DeletionResult): readonly Omit<Condition, "lastTransitionTime">[] {
  const { discoveryErrors, deletionErrors, remaining, finalizers } = result;
  const state = (
    type: string,
    bad: boolean,
    whenBad: readonly [reason: string, message: string],
    whenGood: readonly [reason: string, message: string],
  ): Omit<Condition, "lastTransitionTime"> => {
    const [reason, message] = bad ? whenBad : whenGood;
    return { type, status: bad ? "True" : "False", reason, message };
  };
  return [
    state(
      "NamespaceDeletionDiscoveryFailure",
      discoveryErrors.length > 0,
      [
        "DiscoveryFailed",
        `Discovery failed for some groups, ${discoveryErrors.length} failing: ${discoveryErrors.join(", ")}`,
      ],
      ["ResourcesDiscovered", "All resources successfully discovered"],
    ),
    state(
      "NamespaceDeletionGroupVersionParsingFailure",
      false,
      ["", ""],
      ["ParsedGroupVersions", "All legacy orch types successfully parsed"],
    ),
    state(
      "NamespaceDeletionContentFailure",
      deletionErrors.length > 0,
      [
        "ContentDeletionFailed",
        `Failed to delete all resource types, ${deletionErrors.length} remaining: ${deletionErrors.join(", ")}`,
      ],
      ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
    ),
    state(
      "NamespaceContentRemaining",
      remaining.size > 0,
      ["SomeResourcesRemain", `Some resources are remaining: ${listed(remaining, "has")}`],
      ["ContentRemoved", "All content successfully removed"],
    ),
    state(
      "NamespaceFinalizersRemaining",
      finalizers.size > 0,
      ["SomeFinalizersRemain", `Some content in the namespace has finalizers remaining: ${listed(finalizers, "in")}`],
      ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
    ),
  ];
}

/** The conditions of the namespace after an attempt. Returns the current list if nothing has changed. */
export function conditionsAfter(
  old: readonly Condition[] | undefined,
  result: DeletionResult,
  now: Date,
): readonly Condition[] {
  const known = new Map((old ?? []).map((condition) => [condition.type, condition]));
  let changed = false;
  for (const wanted of wantedConditions(result)) {
    const before = known.get(wanted.type);
    if (before?.status === wanted.status && before.reason === wanted.reason && before.message === wanted.message)
      continue;
    changed = true;
    const since = before?.status === wanted.status ? before.lastTransitionTime : undefined;
    known.set(wanted.type, { ...wanted, lastTransitionTime: since ?? formatTime(now) });
  }
  return changed || old === undefined ? [...known.values()] : old;
}
