import type { CriClient } from "@orchernetes/cri";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { ImageGarbage } from "./image-garbage.ts";

const nodes = 200;
const stepsEach = 10;

type Numbers = (bound: number) => number;

/** An image on the node of a test. */
interface Image {
  readonly id: string;
  readonly size: number;
  readonly pinned: boolean;
  /** The runtime rejects to remove it. */
  readonly isStuck: boolean;
  isUsed: boolean;
}

/** When an image was detected and when it was used last, in milliseconds; -1 stands for a time long ago. */
interface Seen {
  firstMs: number;
  usedMs: number;
}

/** The collection of images in the steps of the original. */
class Model {
  readonly #seen = new Map<string, Seen>();
  #isInitialized = false;

  detect(images: readonly Image[], nowMs: number): void {
    for (const { id, isUsed } of images) {
      const seen = this.#seen.get(id) ?? { firstMs: this.#isInitialized ? nowMs : -1, usedMs: -1 };
      if (isUsed) seen.usedMs = nowMs;
      this.#seen.set(id, seen);
    }
    for (const id of this.#seen.keys()) if (!images.some((one) => one.id === id)) this.#seen.delete(id);
    this.#isInitialized = true;
  }

  /** Ids in the order of their removal, and whether anything failed. */
  free(images: readonly Image[], wanted: number, minimumAgeMs: number, nowMs: number) {
    this.detect(images, nowMs);
    const timesOf = ({ id }: Image) => this.#seen.get(id) ?? { firstMs: -1, usedMs: -1 };
    const unused = images
      .filter(({ isUsed, pinned }) => !isUsed && !pinned)
      .toSorted((a, b) => timesOf(a).usedMs - timesOf(b).usedMs || timesOf(a).firstMs - timesOf(b).firstMs);
    const removed: string[] = [];
    let [bytes, hasFailed] = [0, false];
    for (const image of unused) {
      const { firstMs, usedMs } = timesOf(image);
      if (usedMs >= nowMs || (firstMs >= 0 && nowMs - firstMs < minimumAgeMs)) continue;
      if (image.isStuck) {
        hasFailed = true;
        continue;
      }
      this.#seen.delete(image.id);
      removed.push(image.id);
      bytes += image.size;
      if (bytes >= wanted) break;
    }
    return { removed, bytes, hasFailed };
  }

  collect(
    images: readonly Image[],
    disk: { readonly capacity: number; readonly free: number },
    policy: Policy,
    nowMs: number,
  ) {
    const { highPercent, lowPercent, minimumAgeMs } = policy;
    // Here, the periodic detection comes with the collection.
    this.detect(images, nowMs);
    const free = Math.min(disk.free, disk.capacity);
    if (disk.capacity === 0) return { removed: [], event: "InvalidDiskCapacity", hasFailed: true };
    const used = 100 - Math.trunc((free * 100) / disk.capacity);
    if (used < highPercent) return { removed: [], event: "", hasFailed: false };
    const wanted = Math.trunc((disk.capacity * (100 - lowPercent)) / 100) - free;
    const { removed, bytes, hasFailed } = this.free(images, wanted, minimumAgeMs, nowMs);
    const isShort = !hasFailed && bytes < wanted;
    return { removed, event: isShort ? "FreeDiskSpaceFailed" : "", hasFailed: hasFailed || isShort };
  }
}

interface Policy {
  readonly highPercent: number;
  readonly lowPercent: number;
  readonly minimumAgeMs: number;
}

/** A node whose runtime removes images from `images`. */
function createNode(policy: Policy) {
  const clock = new FakeClock();
  let images: readonly Image[] = [];
  const disk = { capacity: 1000, free: 0 };
  const removed: string[] = [];
  const events: string[] = [];
  const cri = {
    images: {
      listImages: async () => ({ images: images.map((one) => ({ ...one, repoTags: [], repoDigests: [] })) }),
      async removeImage({ image: { image: id } }: { image: { image: string } }) {
        if (images.some((one) => one.id === id && one.isStuck)) throw new Error("stuck");
        images = images.filter((one) => one.id !== id);
        removed.push(id);
      },
    },
    runtime: {
      listContainers: async () => ({
        containers: images.flatMap(({ id, isUsed }) => (isUsed ? [{ imageRef: id, image: { image: "" } }] : [])),
      }),
    },
  };
  const collector = new ImageGarbage({
    cri: cri as unknown as CriClient,
    policy,
    space: async () => ({ capacityBytes: disk.capacity, availableBytes: disk.free }),
    isKept: () => false,
    recordNodeEvent: (reason) => events.push(reason),
    clock,
    logger: silentLogger,
  });
  return {
    ...{ clock, collector, disk, removed, events },
    images: () => images,
    add(image: Image): void {
      images = [...images, image];
    },
    drop(id: string): void {
      images = images.filter((one) => one.id !== id);
    },
  };
}

/** Changes a node by chance: images are pulled, used and removed by others, and time passes. */
function change(node: ReturnType<typeof createNode>, below: Numbers, nextId: () => string): void {
  for (let n = below(4); n > 0; n--)
    node.add({
      id: nextId(),
      size: 1 + below(60),
      pinned: below(8) === 0,
      isStuck: below(12) === 0,
      isUsed: below(3) === 0,
    });
  for (const image of node.images()) if (below(3) === 0) image.isUsed = below(2) === 0;
  const [first] = node.images();
  if (first !== undefined && below(6) === 0) node.drop(first.id);
  node.clock.advance(1 + below(90_000));
  node.disk.capacity = below(25) === 0 ? 0 : 900 + below(200);
  node.disk.free = below(below(3) === 0 ? 1200 : 250);
}

test(`images are removed as in the original, on ${nodes} random nodes with ${stepsEach} steps each`, async () => {
  const below = seededNumbers(43);
  const seen = { removed: 0, events: new Map<string, number>(), failed: 0 };
  for (let n = 0; n < nodes; n++) {
    const lowPercent = 60 + below(30);
    const policy = { highPercent: lowPercent + 1 + below(10), lowPercent, minimumAgeMs: below(3) * 60_000 };
    const node = createNode(policy);
    const model = new Model();
    let lastId = 0;
    for (let step = 0; step < stepsEach; step++) {
      change(node, below, () => `i${++lastId}`);
      const images = node.images();
      const nowMs = node.clock.monotonicMs();
      const what = below(4);
      node.removed.length = 0;
      node.events.length = 0;
      const given = { n, step, what, policy, disk: { ...node.disk }, images: images.map((one) => ({ ...one })) };
      const want = { removed: [] as readonly string[], event: "", hasFailed: false };
      if (what === 0 || step === 0) model.detect(images, nowMs);
      else if (what === 1) {
        const freed = model.free(images, Number.POSITIVE_INFINITY, policy.minimumAgeMs, nowMs);
        Object.assign(want, { removed: freed.removed, hasFailed: freed.hasFailed });
      } else Object.assign(want, model.collect(images, node.disk, policy, nowMs));
      const run = () => {
        if (what === 0 || step === 0) return node.collector.look();
        return what === 1 ? node.collector.removeUnused() : node.collector.collect();
      };
      const hasFailed = await run().then(
        () => false,
        () => true,
      );
      const result = { removed: [...node.removed], event: node.events.join(), hasFailed };
      seen.removed += result.removed.length;
      seen.failed += Number(hasFailed);
      seen.events.set(result.event, (seen.events.get(result.event) ?? 0) + 1);
      if (JSON.stringify(result) !== JSON.stringify(want)) expect(result, JSON.stringify(given)).toEqual(want);
    }
  }
  expect(seen.removed).toBeGreaterThan(nodes / 2);
  expect(seen.failed).toBeGreaterThan(nodes / 10);
  for (const event of ["InvalidDiskCapacity", "FreeDiskSpaceFailed"]) expect(seen.events.get(event)).toBeGreaterThan(5);
});
