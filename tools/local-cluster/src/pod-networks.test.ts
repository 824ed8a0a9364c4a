import { expect, test } from "vitest";
import { choosePodNetwork, tagOf } from "./pod-networks.ts";

test("nodes have networks that no other cluster of the host has or will have", async () => {
  const tag = Buffer.from([3, 254]);
  const claimed = new Set<string>();
  const claim = async (name: string) => {
    const free = !claimed.has(name);
    claimed.add(name);
    return free;
  };
  const choose = (index: number, ...used: string[]) =>
    choosePodNetwork("containerd", tag, index, { claim, isUsed: async (address) => used.includes(address) });
  expect(await choose(1)).toBe("10.67.255.0/24");
  expect(await choose(2)).toBe("10.67.0.0/24");
  // Another cluster, whose folder has the same tag: its bridge is there.
  expect(await choose(1, "10.67.1.1")).toBe("10.67.2.0/24");
  const none = choosePodNetwork("containerd", tag, 1, { claim: async () => false });
  await expect(none).rejects.toThrow("no pod network is free: all of 10.67.0.0/16 are in use on this host");
});

test("folders have tags of their own", () => {
  expect(tagOf("/a").equals(tagOf("/a"))).toBe(true);
  expect(tagOf("/a").equals(tagOf("/b"))).toBe(false);
});
