import { seededNumbers } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { eventRateLimit } from "./event-rate-limit.ts";
import type { PluginSettings } from "./shared/plugin.ts";

const random = seededNumbers(27);
const one = <T>(...from: readonly T[]): T => from[random(from.length)] as T;

interface Limit {
  readonly type: "Server" | "Namespace" | "User" | "SourceAndObject";
  readonly qps: number;
  readonly burst: number;
  readonly cacheSize: number;
}

/** Buckets that hold whole thousandths, filled at each event; the ones used longest ago are forgotten. */
class Model {
  readonly #limit: Limit;
  #buckets: { readonly key: string; thousandths: number; atMs: number }[] = [];

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  accepts(key: string, nowMs: number): boolean {
    const { qps, burst, cacheSize } = this.#limit;
    const bucket = this.#buckets.find((each) => each.key === key) ?? { key, thousandths: burst * 1000, atMs: nowMs };
    bucket.thousandths = Math.min(burst * 1000, bucket.thousandths + (nowMs - bucket.atMs) * qps);
    bucket.atMs = nowMs;
    this.#buckets = [...this.#buckets.filter((each) => each !== bucket), bucket].slice(-cacheSize);
    if (bucket.thousandths < 1000) return false;
    bucket.thousandths -= 1000;
    return true;
  }
}

test("events are accepted at the rates of a plain model, whose every limit counts every event", async () => {
  let refused = 0;
  for (let run = 0; run < 50; run++) {
    const limits = Array.from(
      { length: 1 + random(3) },
      (): Limit => ({
        type: one("Server", "Namespace", "User", "SourceAndObject"),
        qps: 1 + random(20),
        burst: 1 + random(10),
        cacheSize: 1 + random(3),
      }),
    );
    const settings = { configuration: { EventRateLimit: { limits } } } as unknown as PluginSettings;
    if (!("create" in eventRateLimit)) throw new Error("expected a plugin that is configured");
    const plugin = eventRateLimit.create(settings);
    const models = limits.map((limit) => new Model(limit));
    let nowMs = 1_000_000;
    for (let i = 0; i < 200; i++) {
      nowMs += random(120);
      const [namespace, name, component] = [one("n1", "n2", "n3"), one("u1", "u2"), one("c1", "c2")];
      const keys = {
        Server: "",
        Namespace: namespace,
        User: name,
        SourceAndObject: `${component}hPod${namespace}p1v1`,
      };
      const attributes = {
        kind: { group: "", version: "v1", kind: "Event" },
        namespace,
        user: { name, groups: [], extra: {} },
        dryRun: false,
        object: {
          source: { component, host: "h" },
          involvedObject: { kind: "Pod", namespace, name: "p", uid: "1", apiVersion: "v1" },
        },
      } as unknown as AdmissionAttributes;
      const want = limits
        .filter(({ type }, n) => models[n]?.accepts(keys[type], nowMs) === false)
        .map(({ type }) => `limit reached on type ${type} for key ${keys[type]}`);
      let found = "";
      try {
        await plugin.validate?.(attributes, { now: new Date(nowMs) } as AdmissionContext);
      } catch (error) {
        found = (error as Error).message;
      }
      if (want.length > 0) refused++;
      expect(found === "").toBe(want.length === 0);
      for (const text of want) expect(found).toContain(text);
    }
  }
  expect(refused).toBeGreaterThan(1_000);
});
