import { expect, test } from "vitest";
import { differences } from "./differences.ts";

/** Clusters in each run; the tool compares many more. */
const CLUSTERS = 400;

test("filters, scores and decisions in small random clusters are those of the simple reference implementation", () => {
  const found = Array.from({ length: CLUSTERS }, (_, seed) => [seed, differences(seed)] as const).filter(
    ([, list]) => list.length > 0,
  );
  expect(found).toEqual([]);
}, 120_000);
