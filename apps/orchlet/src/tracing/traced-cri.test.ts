import type { CriClient } from "@orchernetes/cri";
import { expect, test } from "vitest";
import { tracedCri } from "./traced-cri.ts";

// shows: tracing
test("calls to the runtime are recorded as spans, with unchanged results", async () => {
  const spans: string[] = [];
  const tracer = {
    span<T>(name: string, _attributes: object, work: () => T): T {
      spans.push(name);
      return work();
    },
  };
  const cri = {
    runtime: { version: async () => ({ runtimeName: "x" }), getContainerEvents: () => "events" },
    images: { listImages: async () => ({ images: [] }) },
    close: () => spans.push("closed"),
  } as unknown as CriClient;
  const traced = tracedCri(cri, tracer);
  expect(await traced.runtime.version({})).toEqual({ runtimeName: "x" });
  expect(await traced.images.listImages({})).toEqual({ images: [] });
  expect(traced.runtime.getContainerEvents({})).toBe("events");
  traced.close();
  expect(spans).toEqual(["runtime.v1.RuntimeService/Version", "runtime.v1.ImageService/ListImages", "closed"]);
});
