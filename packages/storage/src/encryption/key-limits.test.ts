import { expect, test } from "vitest";
import { DataKeys } from "./data-keys.ts";
import { encryptedKeyProblem, keyIdProblem } from "./encrypted-key-problem.ts";
import {
  decodeEncryptedObject,
  type EncryptedKey,
  encodeEncryptedObject,
  kmsDecrypt,
  kmsEncrypt,
  kmsStatus,
} from "./kms-messages.ts";
import { encodeFields, fieldsOf, one, text } from "./message-fields.ts";

test.each([
  ["", "empty"],
  ["k", undefined],
  ["k".repeat(1024), undefined],
  ["k".repeat(1025), "too_long"],
  ["ä".repeat(512), undefined],
  ["ä".repeat(513), "too_long"],
] as const)("key id %#: %s", (id, want) => {
  expect(keyIdProblem(id)).toBe(want);
});

const good: EncryptedKey = { keyId: "k", encryptedDek: Buffer.alloc(32, 1), annotations: new Map() };
const annotated = (name: string, bytes = 1): Partial<EncryptedKey> => ({
  annotations: new Map([[name, Buffer.alloc(bytes)]]),
});

// The limits are those of Kubernetes (KEP-3299).
test.each<readonly [string, Partial<EncryptedKey>, string | undefined]>([
  ["a good one", {}, undefined],
  ["no id", { keyId: "" }, "a key whose id has 0 bytes; want 1 to 1024"],
  ["a long id", { keyId: "k".repeat(1025) }, "has 1025 bytes"],
  ["no key", { encryptedDek: Buffer.alloc(0) }, "a data key to 0 bytes; want 1 to 1024"],
  ["the longest key", { encryptedDek: Buffer.alloc(1024) }, undefined],
  ["a longer key", { encryptedDek: Buffer.alloc(1025) }, "a data key to 1025 bytes"],
  ["an annotation", annotated("a.b"), undefined],
  ["an annotation with a dot at the end", annotated("example.com."), undefined],
  ["an annotation with hyphens", annotated("a--b.c-1"), undefined],
  ["an annotation of one segment", annotated("local"), 'annotation "local"'],
  ["an annotation without a name", annotated(""), 'annotation ""'],
  ["an annotation in capitals", annotated("A.b"), 'annotation "A.b"'],
  ["an empty segment", annotated("a..b"), 'annotation "a..b"'],
  ["a hyphen at the end of a segment", annotated("a-.b"), 'annotation "a-.b"'],
  ["a line feed", annotated("a.b\n"), 'annotation "a.b\\n"'],
  ["the longest name", annotated(`${"a".repeat(251)}.b`), undefined],
  [
    "a longer name, of which the beginning is shown",
    annotated(`${"a".repeat(252)}.b`),
    `annotation "${"a".repeat(100)}"`,
  ],
  ["the longest annotation", annotated("a.b", 32 * 1024 - 3), undefined],
  ["a longer one", annotated("a.b", 32 * 1024 - 2), "annotations of 32769 bytes; want at most 32768"],
  [
    "two that are too long together",
    { annotations: new Map(["a.b", "c.d"].map((name) => [name, Buffer.alloc(16 * 1024)])) },
    "of 32774 bytes",
  ],
])("encrypted key: %s", (_, changes, want) => {
  const found = encryptedKeyProblem({ ...good, ...changes });
  if (want === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(want);
});

test.each<readonly [string, ReadonlyMap<string, Buffer>]>([
  ["no annotations", new Map()],
  [
    "annotations",
    new Map([
      ["a.b", Buffer.from([0, 255])],
      ["c.d", Buffer.alloc(0)],
    ]),
  ],
])("a stored value is read back, with %s", (_, annotations) => {
  const stored = {
    encryptedData: Buffer.alloc(300, 7),
    keyId: "schlüssel",
    encryptedDek: Buffer.from([0]),
    annotations,
  };
  expect(decodeEncryptedObject(encodeEncryptedObject(stored))).toEqual(stored);
});

test("the bytes of messages are those of the API's protobuf definition", () => {
  expect(kmsStatus.encode(undefined)).toHaveLength(0);
  expect(kmsEncrypt.encode({ plaintext: Uint8Array.of(1, 2), uid: "u" }).toString("hex")).toBe("0a020102120175");
  const request = kmsDecrypt.encode({
    encryptedDek: Buffer.of(9),
    uid: "u",
    keyId: "k",
    annotations: new Map([["a", Buffer.of(8)]]),
  });
  expect(request.toString("hex")).toBe("0a01091201751a016b22060a0161120108");
  expect(kmsStatus.decode(Buffer.from("0a02763212026f6b1a016b", "hex"))).toEqual({
    version: "v2",
    healthz: "ok",
    keyId: "k",
  });
});

test("fields of other types and unknown ones are skipped, the last of several counts, absent ones are empty", () => {
  // Field 1: varint 150; field 2: "a"; field 3: 32 bits; field 4: 64 bits; field 2: "b".
  const fields = fieldsOf(Buffer.from("0896011201611d00000000210000000000000000120162", "hex"));
  expect(fields.map(([number]) => number)).toEqual([2, 2]);
  expect([text(fields, 2), text(fields, 1), one(fields, 9).length]).toEqual(["b", "", 0]);
});

test.each(["0a", "0a05", "0a0501", "0affffffff0f", "0affffffffffffffffffff01", "09", "0f"])(
  "bytes %s are no message",
  (hex) => {
    expect(() => fieldsOf(Buffer.from(hex, "hex"))).toThrow();
  },
);

test("what is read from a message stays as it was when the message's memory is used again", () => {
  const bytes = encodeFields({ 1: "text" });
  const fields = fieldsOf(bytes);
  bytes.fill(0);
  expect(text(fields, 1)).toBe("text");
});

function counted(limit: number) {
  const seen = { missed: 0, shares: [] as number[] };
  const ignore = () => {};
  const keys = new DataKeys("kms", limit, {
    keyMissed: () => {
      seen.missed++;
    },
    remembered: (share) => seen.shares.push(share),
    called: ignore,
    keyMade: ignore,
    arrived: ignore,
    keyUsed: ignore,
    keyNamed: ignore,
    keyMisnamed: ignore,
  });
  return { keys, seen };
}
const secret = (fill: number, bytes = 32) => Buffer.alloc(bytes, fill);
const never = () => Promise.reject(new Error("not wanted"));

test("the least recently used data key is dropped", async () => {
  const { keys, seen } = counted(2);
  keys.remember("a", secret(1));
  keys.remember("b", secret(2));
  expect(keys.secret("a", never)).toEqual(secret(1));
  keys.remember("c", secret(3));
  expect([keys.secret("a", never), keys.secret("c", never)]).toEqual([secret(1), secret(3)]);
  await expect(keys.secret("b", never)).rejects.toThrow("not wanted");
  expect(seen).toEqual({ missed: 1, shares: [0.5, 1, 1] });
});

test("readers at once share one decryption; a failed one is not remembered", async () => {
  const { keys, seen } = counted(2);
  let calls = 0;
  const decrypt = async () => {
    if (++calls === 1) throw new Error("down");
    return secret(calls);
  };
  const first = [keys.secret("a", decrypt), keys.secret("a", decrypt)];
  expect((await Promise.allSettled(first)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect([calls, seen.missed]).toEqual([1, 1]);
  expect(await keys.secret("a", decrypt)).toEqual(secret(2));
  expect(keys.secret("a", never)).toEqual(secret(2));
  keys.forget("a");
  expect(await keys.secret("a", decrypt)).toEqual(secret(3));
});

test.each([0, -1])("a limit of %i remembers nothing", async (limit) => {
  const { keys, seen } = counted(limit);
  expect(await keys.secret("a", async () => secret(1))).toEqual(secret(1));
  keys.remember("a", secret(1));
  await expect(keys.secret("a", never)).rejects.toThrow("not wanted");
  expect(seen.shares).toEqual([]);
});

test.each([16, 24, 32])("a data key of %i bytes is one", async (bytes) => {
  expect(await counted(1).keys.secret("a", async () => secret(1, bytes))).toHaveLength(bytes);
});

test.each([0, 1, 15, 17, 31, 33, 1000])("a data key of %i bytes is none, and is not remembered", async (bytes) => {
  const { keys } = counted(1);
  await expect(keys.secret("a", async () => secret(1, bytes))).rejects.toMatchObject({
    reason: "Unavailable",
    message: `key management service "kms" decrypted a data key to ${bytes} bytes; want 16, 24, 32`,
  });
  expect(await keys.secret("a", async () => secret(2))).toEqual(secret(2));
});
