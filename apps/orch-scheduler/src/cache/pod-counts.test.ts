import { pod, seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import type { PodClass } from "./pod-class.ts";
import { PodCounts, type PodQuery } from "./pod-counts.ts";
import { podInfo } from "./pod-info.ts";

const classOf = (namespace: string, labels: Record<string, string>, terminating = false): PodClass => {
  const builder = pod("p").namespace(namespace).labels(labels);
  return podInfo((terminating ? builder.deletedAt() : builder).build()).podClass;
};

const queryOf = (namespaces: readonly string[], app: string | undefined, everywhere = false): PodQuery => ({
  key: JSON.stringify([namespaces, app ?? null, everywhere]),
  namespaces,
  everywhere,
  labels: app === undefined ? [] : [["app", app]],
  matches: ({ labels, terminating }) => !terminating && (app === undefined || labels?.app === app),
});

test("counts equal a recount after any additions and removals, with any number of queries", () => {
  const SLOTS = 64;
  const next = seededNumbers(7);
  const counts = new PodCounts();
  const present: { readonly slot: number; readonly podClass: PodClass }[] = [];
  for (let step = 0; step < 1500; step++) {
    if (present.length > 0 && next(3) === 0) {
      const [gone] = present.splice(next(present.length), 1);
      if (gone !== undefined) counts.count(gone.slot, gone.podClass, -1);
    } else {
      const labels = { app: `a${next(20)}`, pod: `p${next(30)}` };
      const added = { slot: next(SLOTS), podClass: classOf(`ns${next(3)}`, labels, next(8) === 0) };
      present.push(added);
      counts.count(added.slot, added.podClass, 1);
    }
    const namespaces = next(4) === 0 ? ["ns0", "ns2"] : [`ns${next(3)}`];
    const query = queryOf(namespaces, next(5) === 0 ? undefined : `a${next(20)}`, next(6) === 0);
    const want = new Int32Array(SLOTS);
    for (const { slot, podClass } of present)
      if ((query.everywhere || namespaces.includes(podClass.namespace)) && query.matches(podClass))
        want[slot] = (want[slot] ?? 0) + 1;
    const found = counts.of(query, SLOTS);
    expect(found.counts).toEqual(want);
    expect(found.total).toBe(want.reduce((sum, count) => sum + count, 0));
  }
});

test("the cost of a pod does not depend on the number of templates", () => {
  let asked = 0;
  const counting = (app: string): PodQuery => {
    const query = queryOf(["ns"], app);
    const matches: PodQuery["matches"] = (pods) => {
      asked++;
      return query.matches(pods);
    };
    return { ...query, matches };
  };
  const counts = new PodCounts();
  const TEMPLATES = 2000;
  for (let round = 0; round < 5; round++)
    for (let template = 0; template < TEMPLATES; template++) {
      counts.of(counting(`a${template}`), 8);
      counts.count(round, classOf("ns", { app: `a${template}` }), 1);
    }
  // Once for each template: its class meets its query.
  expect(asked).toBe(TEMPLATES);
  expect(counts.of(counting("a7"), 8).total).toBe(5);
});

test("the least recently used queries are dropped, and their counts are right when they are requested again", () => {
  const counts = new PodCounts();
  const SLOTS = 1024 * 1024;
  counts.count(3, classOf("ns", { app: "a" }), 1);
  for (let i = 0; i < 70; i++) counts.of(queryOf(["ns"], `b${i}`), SLOTS);
  expect(counts.of(queryOf(["ns"], "a"), SLOTS).total).toBe(1);
  for (let i = 0; i < 70; i++) counts.of(queryOf(["ns"], `c${i}`), SLOTS);
  counts.count(4, classOf("ns", { app: "a" }), 1);
  expect(counts.of(queryOf(["ns"], "a"), SLOTS).total).toBe(2);
});

test("classes whose last pod is deleted are removed: new queries are not evaluated for them", () => {
  const counts = new PodCounts();
  for (let i = 0; i < 500; i++) {
    const gone = classOf("ns", { app: "a", pod: `p${i}` });
    counts.count(1, gone, 1);
    counts.count(1, gone, -1);
  }
  let asked = 0;
  const query = queryOf(["ns"], "a");
  const matches: PodQuery["matches"] = (pods) => {
    asked++;
    return query.matches(pods);
  };
  expect(counts.of({ ...query, matches }, 8).total).toBe(0);
  expect(asked).toBe(0);
});
