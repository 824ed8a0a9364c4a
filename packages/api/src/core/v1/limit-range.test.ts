import { expect, test } from "vitest";
import { type LimitRange, validateLimitRange } from "./limit-range.ts";

test.each(["toString", "constructor", "hasOwnProperty"])(
  "a resource named %s has only the amounts given",
  (resource) => {
    const limits: LimitRange = {
      metadata: { name: "l", namespace: "ns" },
      spec: { limits: [{ type: "Pod", max: { [resource]: "8" } }] },
    };
    expect(() => validateLimitRange(limits)).not.toThrow();
  },
);
