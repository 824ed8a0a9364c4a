import type { apps, core } from "@orchernetes/api";
import type { ApiObject, ObjectMeta, OwnerReference, Stored } from "@orchernetes/apimachinery";
import { semanticEqual } from "../semantic-equal.ts";
import { sortMembers } from "./go-json.ts";

export type Revision = Stored<apps.ControllerRevision>;

/** A revision to be created. */
interface NewRevision {
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly data: Readonly<Record<string, unknown>>;
  readonly revision: number;
}

/**
 * The data of a revision: the pod template as a strategic merge patch that replaces it. The original compares revisions byte by
 * byte, so members are in its order, and fields that Go never omits are present.
 */
export function revisionData(template: core.PodTemplateSpec): Readonly<Record<string, unknown>> {
  return { spec: { template: sortMembers({ ...template, $patch: "replace" }) } };
}

/** The pod template that a revision remembers; undefined when its data is something else. */
export function templateOf(revision: Revision): core.PodTemplateSpec | undefined {
  const data = revision.data as { readonly spec?: { readonly template?: core.PodTemplateSpec } } | undefined;
  const template = data?.spec?.template;
  if (template === undefined) return undefined;
  const { $patch: _, ...rest } = template as core.PodTemplateSpec & { readonly $patch?: string };
  return rest;
}

/** Revisions with the lowest number, and of those the oldest, first. */
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

/** What to do so that a revision of the present template is the newest. */
export type CurrentRevision =
  | { readonly type: "there"; readonly revision: Revision }
  /** An older revision has the template: it becomes the newest. */
  | { readonly type: "renew"; readonly revision: Revision }
  | { readonly type: "create"; readonly revision: NewRevision };

export interface RevisionOwner {
  readonly object: Stored<ApiObject>;
  readonly ref: OwnerReference;
  readonly template: core.PodTemplateSpec;
  readonly collisionCount: number;
  /** Label that bears the hash. */
  readonly hashLabel: string;
  readonly hashOf: (data: Readonly<Record<string, unknown>>, collisionCount: number) => string;
}

/** Maximum length of the owner's name in the names of its revisions. */
const maxPrefixLength = 223;

/** Finds the revision of the owner's present template among its revisions, or says how to make it. */
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

/** Revisions beyond the limit that nothing lives on, oldest first. */
export function surplusRevisions(
  revisions: readonly Revision[],
  isLive: (revision: Revision) => boolean,
  limit: number,
): readonly Revision[] {
  const dead = inRevisionOrder(revisions).filter((revision) => !isLive(revision));
  return dead.slice(0, Math.max(0, dead.length - limit));
}
