import type { apiextensions } from "@orchernetes/api";
import type { ConditionState } from "../definition/conditions.ts";
import { conditionOf } from "../definition/conditions.ts";

type Definition = apiextensions.CustomResourceDefinition;
type Names = apiextensions.CustomResourceDefinitionNames;

/** The decision about the names of a definition. */
export interface NamesDecision {
  readonly acceptedNames: Names;
  readonly namesAccepted: ConditionState;
  /** The condition `Established` until the definition is served; undefined if it is unchanged. */
  readonly established: ConditionState | undefined;
}

/**
 * Decides which of its names a definition gets: those that no other definition of its group has. What is in conflict stays as
 * it was.
 *
 * Names are compared with the accepted names of others, not with those they ask for: who asked first keeps a name, and two definitions
 * in conflict cannot block each other. Plural, singular and short names share one space, since clients accept any of them; kinds and
 * list kinds share another.
 *
 * @param others all definitions of the group, with the names that they have
 */
export function decideNames(definition: Definition, others: readonly Definition[]): NamesDecision {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { status, metadata } of others) {
    if (metadata.name === definition.metadata.name) continue;
    const { plural, singular, shortNames, kind, listKind } = status.acceptedNames;
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  const wanted = definition.spec.names;
  const had = definition.status.acceptedNames;
  const conflicts: { readonly reason: string; readonly message: string }[] = [];
  const taken = (name: string | undefined, used: ReadonlySet<string>, reason: string): boolean => {
    if (!name || !used.has(name)) return false;
    conflicts.push({ reason, message: `${JSON.stringify(name)} is already in use` });
    return true;
  };
  const plural = taken(wanted.plural, resources, "PluralConflict") ? had.plural : wanted.plural;
  const singular = taken(wanted.singular, resources, "SingularConflict") ? had.singular : wanted.singular;
  const short = (wanted.shortNames ?? []).filter((name) => resources.has(name));
  if (short.length > 0) {
    const messages = short.map((name) => `${JSON.stringify(name)} is already in use`);
    const message = messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
    conflicts.push({ reason: "ShortNamesConflict", message });
  }
  const kind = taken(wanted.kind, kinds, "KindConflict") ? had.kind : wanted.kind;
  const listKind = taken(wanted.listKind, kinds, "ListKindConflict") ? had.listKind : wanted.listKind;
  // The condition reports the last conflict only, as Kubernetes does.
  const conflict = conflicts.at(-1);
  return {
    acceptedNames: {
      plural,
      singular,
      shortNames: short.length > 0 ? had.shortNames : wanted.shortNames,
      kind,
      listKind,
      categories: wanted.categories,
    },
    namesAccepted:
      conflict === undefined
        ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type: "NamesAccepted", status: "False", ...conflict },
    established: establishedOf(definition, conflict === undefined),
  };
}

/** Established never becomes false again: objects may exist, and clients may rely on them. */
function establishedOf(definition: Definition, accepted: boolean): ConditionState | undefined {
  const old = conditionOf(definition, "Established");
  if (old?.status === "True") return undefined;
  if (accepted) {
    return {
      type: "Established",
      status: "False",
      reason: "Installing",
      message: "the initial names have been accepted",
    };
  }
  if (old !== undefined) return undefined;
  return { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}
