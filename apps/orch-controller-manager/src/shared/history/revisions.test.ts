import { expect, test } from "vitest";
import { meta, template } from "../../testing/builders.ts";
import { goJson } from "./go-json.ts";
import { revisionHash, safeEncode } from "./revision-hash.ts";
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
  hashOf: revisionHash,
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

test("data has its members in the order of the original", () => {
  const { metadata, spec } = template("i:1");
  // The order in which the server writes a template.
  const data = revisionData({
    metadata: { creationTimestamp: null, ...metadata } as unknown as typeof metadata,
    spec: { restartPolicy: "Always", ...spec, dnsPolicy: "ClusterFirst" } as typeof spec,
  });
  expect(JSON.stringify(data)).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"x"}},' +
      '"spec":{"containers":[{"image":"i:1","name":"c","resources":{}}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always"}}}}',
  );
});

test.each([
  [{ b: 1, a: [null, true, undefined], c: undefined }, '{"a":[null,true,null],"b":1}'],
  [{ "\u{10000}": 1, "\uffff": 2 }, '{"\uffff":2,"\u{10000}":1}'],
  ["<a&b>\u2028\u2029", '"\\u003ca\\u0026b\\u003e\\u2028\\u2029"'],
  ['\b\f\n\\b"\u0001', '"\\u0008\\u000c\\n\\\\b\\"\\u0001"'],
])("Go writes %j as the original does", (value, want) => expect(goJson(value)).toBe(want));

test("the hash is FNV-1 of the bytes, in the original's letters", () => {
  // fnv32("foobar") is 0x31f0b262; here of its JSON text and the collision count.
  expect(safeEncode("0123456789")).toBe("456789bcdf");
  expect(revisionHash("fo", 0)).toBe(safeEncode(String(fnv32('"fo"0'))));
  expect(fnv32("foobar")).toBe(0x31f0b262);
});

/** FNV-1 with 32 bits, digit by digit. */
function fnv32(text: string): number {
  let hash = 2166136261n;
  for (const byte of Buffer.from(text)) hash = ((hash * 16777619n) % 2n ** 32n) ^ BigInt(byte);
  return Number(hash);
}
