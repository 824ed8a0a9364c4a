import { expect, test } from "vitest";
import { isReservedNodePort } from "./node-ports.ts";

test("ports of daemons and the range of node ports are reserved, those of usual services are not", () => {
  for (const port of [22, 2379, 2380, 6443, 10_248, 10_250, 10_259, 30_000, 32_767])
    expect(isReservedNodePort(port), `${port}`).toBe(true);
  for (const port of [21, 53, 80, 443, 6442, 8088, 8443, 10_247, 10_260, 29_999, 32_768])
    expect(isReservedNodePort(port), `${port}`).toBe(false);
});
