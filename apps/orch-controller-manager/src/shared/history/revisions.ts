import type { apps, core } from "@orchernetes/api";
import type { ApiObject, ObjectMeta, OwnerReference, Stored } from "@orchernetes/apimachinery";
import { semanticEqual } from "../semantic-equal.ts";
import { sortMembers } from "./go-json.ts";

/** A ControllerRevision as the API server returns it. */
export type Revision = Stored<apps.ControllerRevision>;

/** A revision that should be created. */
interface NewRevision {
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly data: Readonly<Record<string, unknown>>;
  readonly revision: number;
}

/**
 * The data of a revision: the pod template as a strategic merge patch that replaces it. The original compares revisions
 * byte by byte, so members are in its order, and fields that Go never omits are present.
 */
export function revisionData(template: core.PodTemplateSpec): Readonly<Record<string, unknown>> {
  return { spec: { template: sortMembers({ ...template, $patch: "replace" }) } };
}

/** The pod template in a revision; undefined if its data has another form. */
export function templateOf(revision: Revision): core.PodTemplateSpec | undefined {
  const data = revision.data as { readonly spec?: { readonly template?: core.PodTemplateSpec } } | undefined;
  const template = data?.spec?.template;
  if (template === undefined) return undefined;
  const { $patch: _, ...rest } = template as core.PodTemplateSpec & { readonly $patch?: string };
  return rest;
}

/** Sorts revisions by number, then by age, oldest first. */
function inRevisionOrder(revisions: readonly Revision[]): readonly Revision[] {
  return [...revisions].sort(
    (a, b) =>
      a.revision - b.revision ||
      Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
      (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

const nextRevisionNumber = (revisions: readonly Revision[]): number =>
  revisions.reduce((highest, { revision }) => Math.max(highest, revision), 0) + 1;

/** How to make the revision of the current template the newest one. */
export type CurrentRevision =
  | { readonly type: "there"; readonly revision: Revision }
  /** An older revision has the same template (rollback): its number is updated. */
  | { readonly type: "renew"; readonly revision: Revision }
  | { readonly type: "create"; readonly revision: NewRevision };

/** The set and template of a revision. */
export interface RevisionOwner {
  readonly object: Stored<ApiObject>;
  readonly ref: OwnerReference;
  readonly template: core.PodTemplateSpec;
  readonly collisionCount: number;
  /** Name of the label with the hash. */
  readonly hashLabel: string;
  readonly hashOf: (data: Readonly<Record<string, unknown>>, collisionCount: number) => string;
}

/** Maximum length of the owner's name in the names of its revisions. */
const maxPrefixLength = 223;

/** Finds the revision of the owner's current template, or computes the one to create. Pure. */
export function currentRevision(owner: RevisionOwner, revisions: readonly Revision[]): CurrentRevision {
  const data = revisionData(owner.template);
  const ordered = inRevisionOrder(revisions);
  const same = ordered.findLast((revision) => semanticEqual(revision.data, data));
  const newest = ordered.at(-1);
  if (same !== undefined) {
    if (newest === undefined || same.revision === newest.revision) return { type: "there", revision: same };
    return { type: "renew", revision: { ...same, revision: nextRevisionNumber(revisions) } };
  }
  const { name: ownerName, namespace, annotations } = owner.object.metadata;
  const hash = owner.hashOf(data, owner.collisionCount);
  const metadata = {
    name: `${ownerName.slice(0, maxPrefixLength)}-${hash}`,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...owner.template.metadata?.labels, [owner.hashLabel]: hash },
    ...(annotations === undefined ? {} : { annotations }),
    ownerReferences: [owner.ref],
  };
  return { type: "create", revision: { metadata, data, revision: nextRevisionNumber(revisions) } };
}

/** Revisions beyond the history limit that are not in use, oldest first. */
export function surplusRevisions(
  revisions: readonly Revision[],
  isLive: (revision: Revision) => boolean,
  limit: number,
): readonly Revision[] {
  const dead = inRevisionOrder(revisions).filter((revision) => !isLive(revision));
  return dead.slice(0, Math.max(0, dead.length - limit));
}
