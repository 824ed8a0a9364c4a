import { poll } from "@orchernetes/testkit";
import { describe, expect, test } from "vitest";
import { conversionTest, group, type Json, pair } from "./conversion-harness.ts";
import { mergePatch } from "./harness.ts";

const webhook = conversionTest();
const { call, storeAs } = webhook;

describe("lists", () => {
  test("are converted by one review, in which objects of that version are left out", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `many-${String(i).padStart(2, "0")}`);
    const at = (version: string) => `/apis/${group}/${version}/namespaces/many/pairs`;
    for (const name of names.slice(10)) await call("POST", at("v1"), pair(name));
    await storeAs("v2");
    for (const name of names.slice(0, 10)) await call("POST", at("v2"), pair(name, "v2"));
    webhook.reviews = [];
    const { status, body } = await call("GET", at("v2"));
    expect(status).toBe(200);
    expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual(names);
    expect(new Set(body.items.map(({ apiVersion, host }: Json) => `${apiVersion} ${host}`))).toEqual(
      new Set([`${group}/v2 localhost`]),
    );
    expect(webhook.reviews.map(({ request }) => request.objects.length)).toEqual([10]);
    const pages: string[] = [];
    for (let token = ""; ; ) {
      const page = (await call("GET", `${at("v1")}?limit=7&continue=${token}`)).body;
      pages.push(...page.items.map(({ hostPort, metadata }: Json) => `${metadata.name} ${hostPort}`));
      token = page.metadata.continue;
      if (!token) break;
    }
    expect(pages).toEqual(names.map((name) => `${name} localhost:8080`));
    const table = await call("GET", at("v1"), undefined, {
      accept: "application/json;as=Table;g=meta.o8s.io;v=v1",
    });
    expect(table.body.rows).toHaveLength(20);
    expect((await call("DELETE", at("v1"))).body.items).toHaveLength(20);
    await storeAs("v1");
  });

  test("of large objects are converted by several reviews", async () => {
    const at = (version: string) => `/apis/${group}/${version}/namespaces/big/pairs`;
    for (let i = 0; i < 5; i++)
      await call("POST", at("v1"), pair(`big-${i}`, "v1", { spec: { text: "x".repeat(400_000) } }));
    const { body } = await call("GET", at("v2"));
    expect(body.items.map(({ host }: Json) => host)).toEqual(Array(5).fill("localhost"));
    expect(webhook.reviews.map(({ request }) => request.objects.length)).toEqual([2, 2, 1]);
    await call("DELETE", at("v1"));
  });
});

describe("a watch", () => {
  const at = (version: string, rest = "") => `/apis/${group}/${version}/namespaces/watched/pairs${rest}`;
  /** The events of a watch as `TYPE name host` while something is done, and what its last line says otherwise. */
  async function watched(meanwhile: () => Promise<void>): Promise<readonly string[]> {
    const from = (await call("GET", at("v1"))).body.metadata.resourceVersion;
    const query = `?watch=1&timeoutSeconds=1&resourceVersion=${from}`;
    const [two] = await Promise.all([call("GET", at("v2", query)), meanwhile()]);
    const lines = two.text.split("\n").filter((line) => line !== "");
    return lines.map((line) => {
      const { type, object } = JSON.parse(line);
      return type === "ERROR"
        ? `${type} ${object.code} ${object.message}`
        : `${type} ${object.metadata.name} ${object.host}`;
    });
  }

  test("has the events of the stored version, in their order", async () => {
    const events = await watched(async () => {
      for (const name of ["a", "b", "c"]) await call("POST", at("v1"), pair(name));
      await call("PATCH", at("v1", "/b"), { hostPort: "other:1" }, mergePatch);
      await call("DELETE", at("v1", "/a"));
    });
    expect(events).toEqual([
      "ADDED a localhost",
      "ADDED b localhost",
      "ADDED c localhost",
      "MODIFIED b other",
      "DELETED a localhost",
    ]);
    const initial = await call("GET", at("v2", "?watch=1&timeoutSeconds=1"));
    expect(initial.text.split("\n").filter((line) => line.includes('"host":'))).toHaveLength(2);
  });

  test("ends with an error when the webhook fails, and watches of the stored version go on", async () => {
    const stored = call("GET", at("v1", "?watch=1&timeoutSeconds=2"));
    const events = await watched(async () => {
      await call("PATCH", at("v1", "/b"), { hostPort: "third:1" }, mergePatch);
      await poll({ what: "a review", timeoutMs: 5000, intervalMs: 5 }, async () => webhook.reviews[0]);
      webhook.answer = () => Promise.reject(new Error("connection refused"));
      await call("PATCH", at("v1", "/b"), { hostPort: "fourth:1" }, mergePatch);
    });
    expect(events).toEqual([
      "MODIFIED b third",
      `ERROR 500 conversion webhook for ${group}/v1, Kind=Pair failed: connection refused`,
    ]);
    expect((await stored).text).toContain("fourth:1");
  });
});
