import { expect, test } from "vitest";
import { type ClusterKind, folderOf, kindOf, titleOf } from "./cluster-kind.ts";

test.each<[kind: ClusterKind, folder: string, title: string]>([
  [{ store: "embedded", nodes: 2, agent: "own", scheduler: "own" }, "embedded", "2 nodes"],
  [{ store: "etcd", nodes: 1, agent: "own", scheduler: "own" }, "etcd-1-nodes", "1 node, etcd"],
  [
    { store: "embedded", nodes: 1, agent: "reference", scheduler: "own" },
    "embedded-1-nodes-reference-agent",
    "1 node, the suite's agent",
  ],
  [
    { store: "embedded", nodes: 2, agent: "own", scheduler: "reference" },
    "embedded-reference-scheduler",
    "2 nodes, the suite's scheduler",
  ],
])("the folder of results says what cluster they are of: %j", (kind, folder, title) => {
  expect(folderOf(kind)).toBe(folder);
  expect(kindOf(folder)).toEqual(kind);
  expect(titleOf(kind)).toBe(title);
});

test.each(["redis", "embedded-x-nodes", "embedded-2"])("%s is no folder of results", (name) => {
  expect(kindOf(name)).toBeUndefined();
});
