import { expect, test } from "vitest";
import { parseOptions } from "./options.ts";

test("runs every conforming spec on both stores with two nodes by default, and writes the document", async () => {
  expect(await parseOptions(["/suite"])).toEqual({
    suite: "/suite",
    stores: ["embedded", "etcd"],
    nodes: 2,
    agent: "own",
    scheduler: "own",
    parallel: 4,
    focus: "\\[Conformance\\]",
    write: true,
  });
});

test("a narrowed run does not write the document unless it is asked to", async () => {
  expect((await parseOptions(["/suite", "--focus=Job"])).write).toBe(false);
  expect((await parseOptions(["/suite", "--skip=Job"])).write).toBe(false);
  expect((await parseOptions(["/suite", "--skip=Job", "--write"])).write).toBe(true);
});

test("a narrowed run into a folder of results writes all results of the folder", async () => {
  const options = await parseOptions(["/suite", "--focus=Job", "--results=/found"]);
  expect(options).toMatchObject({ results: "/found", write: true });
});

test.each([
  ["no folder", [], /the folder in which the suite was built/],
  ["a store that is not there", ["/s", "--stores=redis"], /"redis"; the stores are embedded and etcd/],
  ["no nodes", ["/s", "--nodes=0"], /--nodes: found 0; a whole number from 1 to 50/],
  [
    "an agent that is not there",
    ["/s", "--agent=other"],
    /Argument: agent, Given: "other", Choices: "own", "reference"/,
  ],
  ["an option that is not there", ["/s", "--node=1"], /node/],
])("refuses %s", async (_, argv, message) => {
  await expect(parseOptions(argv)).rejects.toThrow(message);
});
