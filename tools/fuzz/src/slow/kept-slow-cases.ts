import type { SlowCase } from "./slow-case.ts";

/** A request that once blocked the event loop; every run of the tests sends it again. */
export interface KeptSlowCase {
  readonly name: string;
  /** What it cost. */
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
];

/** All of them. */
export function keptSlowCases(): readonly KeptSlowCase[] {
  return cases;
}
