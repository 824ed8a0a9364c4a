import { expect, test } from "vitest";
import { meta, template } from "../../testing/builders.ts";
import { currentRevision, type Revision, revisionData, surplusRevisions, templateOf } from "./revisions.ts";

const revision = (name: string, number: number, image: string): Revision => ({
  metadata: meta(name),
  data: revisionData(template(image)),
  revision: number,
});
const owner = {
  object: { metadata: meta("o") },
  ref: { apiVersion: "apps/v1", kind: "DaemonSet", name: "o", uid: "u" },
  template: template("i:1"),
  collisionCount: 0,
  hashLabel: "hash",
};

test.each([
  ["the first", [], "create", 1],
  ["known and newest", [revision("a", 1, "i:0"), revision("b", 2, "i:1")], "there", 2],
  ["a way back", [revision("a", 1, "i:1"), revision("b", 2, "i:0")], "renew", 3],
  ["a new one", [revision("a", 4, "i:0")], "create", 5],
])("%s", (_, revisions, type, number) => {
  const current = currentRevision(owner, revisions);
  expect(current).toMatchObject({ type, revision: { revision: number } });
});

test("a collision count gives another name", () => {
  const names = [0, 1].map(
    (collisionCount) => currentRevision({ ...owner, collisionCount }, []).revision.metadata.name,
  );
  expect(new Set(names).size).toBe(2);
});

test("a revision gives its template back", () => {
  expect(templateOf(revision("a", 1, "i:9"))).toEqual(template("i:9"));
});

test("the oldest that nothing lives on go", () => {
  const revisions = [revision("c", 3, "i:3"), revision("a", 1, "i:1"), revision("b", 2, "i:2")];
  const names = surplusRevisions(revisions, ({ metadata }) => metadata.name === "a", 1).map((r) => r.metadata.name);
  expect(names).toEqual(["b"]);
});
