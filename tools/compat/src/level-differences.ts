/** A difference between a recording of level 1.20 and a server of level 1.27 where the server is right. */
export interface LevelDifference {
  readonly scenario: string;
  /** Paths as the replayer prints them; `[*]` stands for any index. A path covers everything below it. */
  readonly paths: readonly string[];
  /** What differs. */
  readonly difference: string;
  readonly reason: string;
}

const storageVersionHash = {
  paths: ["steps[0].body.resources[*].storageVersionHash"],
  difference: "`storageVersionHash`",
};

/** Differences that the recordings do not mark themselves. */
export const LEVEL_DIFFERENCES: readonly LevelDifference[] = [
  {
    scenario: "apply-service",
    paths: ["steps[*].body.metadata.managedFields[0].fieldsV1.f:spec.f:selector.f:app"],
    difference: "`f:selector` has no members",
    reason: "the selector of a service is atomic: it has one owner",
  },
  {
    scenario: "crd-validation",
    paths: [
      "steps[7].body.details.causes[0].reason",
      ...[10, 11].flatMap((step) => [
        `steps[${step}].body.message`,
        `steps[${step}].body.details.causes[0].reason`,
        `steps[${step}].body.details.causes[0].message`,
      ]),
      "steps[12].body.details.causes[0].reason",
      "steps[13].body.details.causes[0].reason",
    ],
    difference:
      "values of another type are FieldValueTypeInvalid, long texts FieldValueTooLong, long lists FieldValueTooMany",
    reason: "errors of custom resources have these reasons, and their words, at this level",
  },
  {
    scenario: "disc-health",
    paths: ["steps[8].headers.content-type", "steps[8].body"],
    difference: "a path that is not there is answered with text, not with the index of paths",
    reason: "unknown paths have been a page of text since 1.23",
  },
  {
    scenario: "disc-resources-admission",
    ...storageVersionHash,
    reason: "webhook configurations are stored as v1; they were stored as v1beta1",
  },
  {
    scenario: "disc-resources-apiregistration",
    ...storageVersionHash,
    reason: "API services are stored as v1; they were stored as v1beta1",
  },
  {
    scenario: "disc-resources-autoscaling",
    ...storageVersionHash,
    reason: "autoscalers are stored as v2; they were stored as v1",
  },
  {
    scenario: "disc-resources-coordination",
    ...storageVersionHash,
    reason: "leases are stored as v1; they were stored as v1beta1",
  },
  {
    scenario: "disc-wellknown",
    paths: ["steps[0].body.id_token_signing_alg_values_supported"],
    difference: "the signing algorithm is ES256",
    reason: "the keys that sign tokens here are ECDSA; a server that is given an RSA key says RS256",
  },
  {
    scenario: "events-double-view",
    paths: ["steps[7].body.rows[*].cells"],
    difference: "the count of a series",
    reason:
      "the count of a series has its first event in it; marked in the recording, by a path that the replayer does not match",
  },
  {
    scenario: "list-table-pods",
    paths: ["steps[12].body.rows[*].cells[3]"],
    difference: "restarts are text",
    reason: "it may name when the last one was; marked in the recording, by a path that the replayer does not match",
  },
  {
    scenario: "invalid-job",
    paths: [
      "steps[2].body.message",
      "steps[2].body.details.causes",
      "steps[3].body.message",
      "steps[3].body.details.causes[1].message",
    ],
    difference: "`ttlSecondsAfterFinished` is checked; labels `batch.orchernetes.io/…` stand beside the old ones",
    reason: "the field is there by default since 1.21, the labels since 1.27",
  },
  {
    scenario: "invalid-names-namespace",
    paths: ["steps[2].body.message", "steps[2].body.details.causes"],
    difference: "`metadata.labels` is named too",
    reason:
      "every namespace has the label `orchernetes.io/metadata.name` since 1.21, and this one's is too long as well",
  },
  {
    scenario: "invalid-service-types",
    paths: [
      "steps[13].body.message",
      "steps[13].body.details.causes[0].reason",
      "steps[13].body.details.causes[0].message",
    ],
    difference: "a node port that is asked for twice is said to be allocated",
    reason: "ports are allocated before services are checked",
  },
  {
    scenario: "patch-merge-bad",
    paths: ["steps[2].status", "steps[2].body.code"],
    difference: "400 rather than 500",
    reason: "a body that is not JSON is the client's error",
  },
  {
    scenario: "webhook-fail-policy",
    paths: ["steps[4].body.message", "steps[4].body.details.causes[0].message"],
    difference: "the message says `failed to call webhook`",
    reason: "it has said which step failed since 1.22",
  },
];

/** Whether a path of the replayer is at or below a pattern. */
const covers = (pattern: string, path: string): boolean => {
  const source = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("\\[\\*\\]", "\\[\\d+\\]");
  return new RegExp(`^${source}(?:[.[]|$)`).test(path);
};

/**
 * Whether all differences of a scenario are right at level 1.27.
 *
 * @param paths - where responses differed; empty when the scenario stopped before a comparison, which is never right
 */
export function isRightAtLevel(
  scenario: string,
  paths: readonly string[],
  known: readonly LevelDifference[] = LEVEL_DIFFERENCES,
): boolean {
  const patterns = known.filter((entry) => entry.scenario === scenario).flatMap((entry) => entry.paths);
  return paths.length > 0 && paths.every((path) => patterns.some((pattern) => covers(pattern, path)));
}
