import type { CriClient } from "@orchernetes/cri";
import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { runHandler } from "./handlers.ts";
import { createSharedLookup } from "./shared-lookup.ts";

test("checks of a host whose name does not resolve fail within the timeout, and share one lookup", async () => {
  const [container] = testPod({}).spec.containers;
  if (container === undefined) throw new Error("the test pod has no container");
  const target = { containerId: "c", container, podIP: "127.0.0.1" };
  const asked: string[] = [];
  // A name server that does not answer.
  const lookup = createSharedLookup((name) => {
    asked.push(name);
    return new Promise(() => {});
  });
  const options = { lookup, cri: {} as CriClient, timeoutSeconds: 0.2, signal: new AbortController().signal };
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      runHandler(
        index % 2 === 0
          ? { httpGet: { host: "slow.example", port: 80, path: "/" } }
          : { tcpSocket: { host: "slow.example", port: 80 } },
        target,
        options,
      ),
    ),
  );
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["failure"]));
  expect(asked).toEqual(["slow.example"]);
});
