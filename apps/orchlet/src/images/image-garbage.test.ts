import type { CriClient } from "@orchernetes/cri";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { ImageGarbage, type ImagePolicy } from "./image-garbage.ts";

const minuteMs = 60_000;

/** A node with images of 100 bytes each, on a file system of 1000 bytes of which 850 are used. */
function garbage(policy: Partial<ImagePolicy> = {}, names: readonly string[] = ["a", "b", "c"]) {
  const clock = new FakeClock();
  const images = new Set(names);
  const used = new Set<string>();
  const stuck = new Set<string>();
  const events: string[] = [];
  const space = { capacityBytes: 1000, availableBytes: 150 };
  const cri = {
    images: {
      listImages: async () => ({
        images: [...images].map((id) => ({
          id,
          repoTags: [`${id}:1`],
          repoDigests: [],
          pinned: id === "pinned",
          size: 100,
        })),
      }),
      async removeImage({ image }: { image: { image: string } }) {
        if (stuck.has(image.image)) throw new Error(`${image.image} is stuck`);
        images.delete(image.image);
      },
    },
    runtime: {
      listContainers: async () => ({ containers: [...used].map((id) => ({ imageRef: id, image: { image: "" } })) }),
    },
  };
  const collector = new ImageGarbage({
    cri: cri as unknown as CriClient,
    policy: { highPercent: 85, lowPercent: 80, minimumAgeMs: 2 * minuteMs, ...policy },
    space: async () => space,
    isKept: (tags) => tags.includes("pause:1"),
    recordNodeEvent: (reason, message) => void events.push(`${reason}: ${message}`),
    clock,
    logger: silentLogger,
  });
  return { collector, clock, images, used, stuck, events, space };
}

test("images are removed from the high threshold on, until the low threshold is reached", async () => {
  const { collector, images, space } = garbage();
  expect(await collector.collect()).toEqual(["a"]);
  expect([...images]).toEqual(["b", "c"]);
  space.availableBytes = 160;
  expect(await collector.collect()).toEqual([]);
});

test("with a lower threshold, more images are removed", async () => {
  expect(await garbage({ lowPercent: 70 }).collector.collect()).toEqual(["a", "b"]);
});

test("a high threshold of 100 disables the collection", async () => {
  const { collector, space } = garbage({ highPercent: 100 });
  space.availableBytes = 0;
  expect(await collector.collect()).toEqual([]);
});

test("images that have been unused for the longest time are removed first, and those in use, kept or pinned are never removed", async () => {
  const { collector, clock, used } = garbage({ lowPercent: 0 }, ["late", "early", "busy", "pause", "pinned"]);
  for (const [atMs, ids] of [
    [0, ["late", "early", "busy"]],
    [minuteMs, ["late", "busy"]],
    [2 * minuteMs, ["busy"]],
  ] as const) {
    clock.advance(atMs - clock.monotonicMs());
    used.clear();
    for (const id of ids) used.add(id);
    await collector.look();
  }
  expect(await collector.removeUnused()).toEqual(["early", "late"]);
});

test("an image stays until it has been on the node for the minimum age, which images found at the start have", async () => {
  const { collector, clock, images } = garbage({ lowPercent: 80 }, ["old"]);
  await collector.look();
  images.add("new");
  clock.advance(minuteMs);
  expect(await collector.removeUnused()).toEqual(["old"]);
  clock.advance(2 * minuteMs - 1);
  expect(await collector.removeUnused()).toEqual([]);
  clock.advance(1);
  expect(await collector.removeUnused()).toEqual(["new"]);
});

test("too few unused images are an error and an event", async () => {
  const { collector, events, used } = garbage({ lowPercent: 50 });
  used.add("a").add("b");
  const message =
    "Failed to garbage collect required amount of images. Attempted to free 350 bytes, but only found 100 bytes eligible to free.";
  await expect(collector.collect()).rejects.toThrow(message);
  expect(events).toEqual([`FreeDiskSpaceFailed: ${message}`]);
});

test("a file system without a size is an error and an event", async () => {
  const { collector, events, space } = garbage();
  space.capacityBytes = 0;
  await expect(collector.collect()).rejects.toThrow("invalid capacity 0 on image filesystem");
  expect(events).toEqual(["InvalidDiskCapacity: invalid capacity 0 on image filesystem"]);
});

test("an image that cannot be removed does not prevent the removal of others", async () => {
  const { collector, stuck, images } = garbage();
  stuck.add("a");
  await expect(collector.removeUnused()).rejects.toThrow("a is stuck");
  expect([...images]).toEqual(["a"]);
});

test("a hundred thousand unused images are removed without blocking the agent", async () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `sha256:${String(index).padStart(64, "0")}`);
  const { collector } = garbage({}, names);
  const begun = performance.now();
  expect(await collector.removeUnused()).toHaveLength(100_000);
  expect(performance.now() - begun).toBeLessThan(10_000);
}, 60_000);

test("if a runtime removes none of many images, some of the errors are reported", async () => {
  const names = Array.from({ length: 1000 }, (_, index) => `i${index}`);
  const { collector, stuck } = garbage({}, names);
  for (const name of names) stuck.add(name);
  const error = await collector.removeUnused().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AggregateError);
  expect((error as AggregateError).errors).toHaveLength(20);
});
