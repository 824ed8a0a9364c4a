import { pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { NominatedPods } from "./nominated-pods.ts";
import { podInfo } from "./pod-info.ts";

const of = (name: string, priority: number) => podInfo(pod(name).priority(priority).build());

test("pods leave room for nominated pods of equal or higher priority, but not for those of lower priority", () => {
  const nominated = new NominatedPods();
  nominated.set(of("low", 1), "a");
  nominated.set(of("high", 9), "a");
  nominated.set(of("elsewhere", 1), "b");
  const ahead = (name: string, priority: number) =>
    [...nominated.ahead(of(name, priority))].flatMap(([node, pods]) =>
      pods.map(({ pod: { metadata } }) => `${metadata.name} on ${node}`),
    );
  expect(ahead("p", 5)).toEqual(["high on a"]);
  expect(ahead("p", 1)).toEqual(["low on a", "high on a", "elsewhere on b"]);
  expect(ahead("high", 9)).toEqual([]);
  expect(nominated.below("a", 9).map(({ key }) => key)).toEqual(["default/low"]);
  expect(nominated.nodeOf("default/low")).toBe("a");
  nominated.set(of("low", 1), "");
  nominated.delete("default/high");
  expect([nominated.nodeOf("default/low"), nominated.size]).toEqual(["", 1]);
});
