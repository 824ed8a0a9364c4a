import type { SlowCase } from "./slow-case.ts";

/** A request that once blocked the event loop. Every run of the tests sends it again. */
export interface KeptSlowCase {
  readonly name: string;
  /** What took the time then. */
  readonly found: string;
  readonly input: SlowCase;
}

const pod = ["spec", "containers", "0"] as const;

const cases: readonly KeptSlowCase[] = [
  {
    name: "containers without names",
    found: "each copied the list of those before it: 14 s for 50,000",
    input: {
      resource: "/v1/pods",
      form: "json",
      growths: [{ at: ["spec", "containers"], how: "items", of: "{}", times: 50_000 }],
    },
  },
  {
    name: "very many containers without names",
    found: "took minutes",
    input: {
      resource: "/v1/pods",
      form: "json",
      growths: [{ at: ["spec", "containers"], how: "items", of: "{}", times: 900_000 }],
    },
  },
  {
    name: "owners that are all controllers",
    found: "each error listed all of them",
    input: {
      resource: "/v1/configmaps",
      form: "json",
      growths: [
        {
          at: ["metadata", "ownerReferences"],
          how: "items",
          of: '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"{{i}}","controller":true}',
          times: 30_000,
        },
      ],
    },
  },
  {
    name: "a reference to a field with many brackets",
    found: "the pattern took time quadratic in them",
    input: {
      resource: "/v1/pods",
      form: "json",
      growths: [
        {
          at: [...pod, "env"],
          how: "items",
          of: `{"name":"A","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"${"a['".repeat(300_000)}"}}}`,
          times: 1,
        },
      ],
    },
  },
  {
    name: "a schedule of very many parts",
    found: "all parts were parsed",
    input: {
      resource: "batch/v1/cronjobs",
      form: "json",
      growths: [{ at: ["spec", "schedule"], how: "text", of: "*/1,", times: 700_000, ends: ["", "1 * * * *"] }],
    },
  },
  {
    name: "many wide rules",
    found: "each right was compared with each rule that the user holds",
    input: {
      resource: "rbac.authorization.o8s.io/v1/clusterroles",
      form: "json",
      growths: [
        {
          at: ["rules"],
          how: "items",
          of: JSON.stringify({
            apiGroups: Array.from({ length: 20 }, (_, i) => `g${i}`),
            resources: Array.from({ length: 20 }, (_, i) => `r${i}`),
            verbs: Array.from({ length: 20 }, (_, i) => `v${i}`),
          }),
          times: 150,
        },
      ],
    },
  },
  {
    name: "a secret that gets very many keys",
    found: "held the loop for half a second",
    input: {
      resource: "/v1/secrets",
      form: "update",
      growths: [{ at: ["data"], how: "keys", of: '""', times: 230_000 }],
    },
  },
  {
    name: "a service that gets a million IP families",
    found: "each was an error of its own: half a minute",
    input: {
      resource: "/v1/services",
      form: "update",
      growths: [{ at: ["spec", "ipFamilies"], how: "items", of: '""', times: 1_000_000 }],
    },
  },
  {
    name: "a service of very many IP families",
    found: "each took an address",
    input: {
      resource: "/v1/services",
      form: "json",
      growths: [{ at: ["spec", "ipFamilies"], how: "items", of: '"IPv4"', times: 400_000 }],
    },
  },
  {
    name: "finalizers without a name",
    found: "each was an error of its own",
    input: {
      resource: "/v1/configmaps",
      form: "json",
      growths: [{ at: ["metadata", "finalizers"], how: "items", of: '""', times: 900_000 }],
    },
  },
  {
    name: "secrets without names by which images are pulled",
    found: "each is a warning: the headers were longer than clients take",
    input: {
      resource: "/v1/pods",
      form: "json",
      growths: [{ at: ["spec", "imagePullSecrets"], how: "items", of: "{}", times: 70_000 }],
    },
  },
  {
    name: "as many empty texts as a document may have, in protobuf",
    found: "reading a million of them took 288 ms",
    input: {
      resource: "storage.o8s.io/v1/volumeattachments",
      form: "protobuf",
      growths: [
        { at: ["spec", "source", "inlineVolumeSpec", "iscsi", "portals"], how: "items", of: '""', times: 149_000 },
      ],
    },
  },
  {
    name: "a selector of as many labels as a document may have",
    found: "compiling it took 245 ms",
    input: {
      resource: "apps/v1/deployments",
      form: "json-patch",
      growths: [{ at: ["spec", "selector", "matchLabels"], how: "keys", of: '"1"', times: 59_000 }],
    },
  },
  {
    name: "disrupted pods patched into a budget",
    found: "the patch and the ownership of each took 237 ms",
    input: {
      resource: "policy/v1/poddisruptionbudgets",
      form: "json-patch",
      growths: [{ at: ["status", "disruptedPods"], how: "keys", of: '"1970-01-01T00:00:00Z"', times: 59_000 }],
    },
  },
  {
    name: "labels that are owned one by one",
    found: "joining the sets of owned fields took 268 ms for 59,000",
    input: {
      resource: "/v1/namespaces",
      form: "strategic-patch",
      growths: [{ at: ["metadata", "labels"], how: "keys", of: '"label/{{i}}"', times: 59_000 }],
    },
  },
];

/** All kept cases. */
export function keptSlowCases(): readonly KeptSlowCase[] {
  return cases;
}
