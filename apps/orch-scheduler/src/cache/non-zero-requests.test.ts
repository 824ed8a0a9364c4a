import { pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { nonZeroRequests } from "./non-zero-requests.ts";

const MB = 1024 * 1024;
const container = (name: string, requests: Record<string, string>) => ({ name, image: "i", resources: { requests } });

test.each([
  ["nothing", pod("p"), { cpu: 100, memory: 200 * MB }],
  ["one container", pod("p").requests({ cpu: "500m", memory: "64Mi" }), { cpu: 500, memory: 64 * MB }],
  [
    "the sum of its containers",
    pod("p")
      .requests({ cpu: "1" })
      .container(container("b", { cpu: "250m", "example.com/gpu": "2" })),
    { cpu: 1250, memory: 400 * MB },
  ],
  [
    "an init container that needs more of one thing",
    pod("p")
      .requests({ cpu: "1", memory: "1Mi" })
      .spec({ initContainers: [container("i", { cpu: "3" }), container("j", { memory: "512Ki" })] }),
    { cpu: 3000, memory: 200 * MB },
  ],
  [
    "overhead on top",
    pod("p")
      .requests({ cpu: "1" })
      .spec({ overhead: { cpu: "100m", memory: "10Mi" } }),
    { cpu: 1100, memory: 210 * MB },
  ],
  ["explicit zeros", pod("p").requests({ cpu: "0", memory: "0" }), { cpu: 0, memory: 0 }],
])("%s", (_, builder, nonZero) => {
  const { spec } = builder.build();
  expect(nonZeroRequests(spec)).toEqual(nonZero);
});
