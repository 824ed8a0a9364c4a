import { openEtcdStore, type Store } from "@orchernetes/storage";
import { etcdAvailable, type RunningEtcd, startEtcd } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands } from "../src/run-command.ts";
import { orchEtcd } from "./support.ts";

describe.skipIf(!etcdAvailable())("commands of a running etcd (need /usr/bin/etcd)", () => {
  let etcd: RunningEtcd;
  let store: Store;
  const on = (...args: string[]) => orchEtcd(...args, "--etcd-servers", etcd.url);
  beforeAll(async () => {
    etcd = await startEtcd({ unsafeNoFsync: true, args: ["--quota-backend-bytes", String(4 << 20)] });
    store = await openEtcdStore({ servers: [etcd.url] });
  }, 60_000);
  afterAll(async () => {
    await store?.close();
    await etcd?.stop();
  });

  test("status prints the state of each server as a table or JSON, and an error for a server that does not respond", async () => {
    const both = await orchEtcd("status", "--etcd-servers", `${etcd.url},http://127.0.0.1:1`, "--timeout", "2");
    expect(both.code).toBe(1);
    expect(both.out).toMatch(/^SERVER +ID +VERSION/);
    expect(both.out).toContain(etcd.url);
    expect(both.err).toContain(
      "http://127.0.0.1:1: etcd: cannot call /etcdserverpb.Maintenance/Status: connect ECONNREFUSED",
    );
    const json = await on("status", "--output", "json");
    expect(json.code).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject([
      { server: etcd.url, leader: true, learner: false, revision: "1", errors: "" },
    ]);
  });

  test("members lists the members of the cluster", async () => {
    const { code, out } = await on("members", "-o", "json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      { id: expect.stringMatching(/^[0-9a-f]+$/), name: "test", "client urls": etcd.url, learner: false },
    ]);
  });

  test("compact deletes the history before the revision, or before the latest one", async () => {
    const key = "/registry/a";
    const put = async () => (await store.commit([], [{ type: "put", key, value: Buffer.from("x") }])).revision;
    const [first, second, third] = [await put(), await put(), await put()];
    expect(await on("compact", String(second))).toMatchObject({ code: 0, out: `compacted at revision ${second}` });
    await expect(store.get(key, { revision: first })).rejects.toMatchObject({ reason: "Compacted" });
    expect((await store.get(key, { revision: second }))?.modRevision).toBe(second);
    expect(await on("compact")).toMatchObject({ code: 0, out: `compacted at revision ${third}` });
    await expect(store.get(key, { revision: second })).rejects.toMatchObject({ reason: "Compacted" });
    expect(await on("compact", String(third + 100))).toMatchObject({
      code: 1,
      err: expect.stringContaining("future revision"),
    });
    expect(await on("compact", "-5")).toMatchObject({ code: 1 });
    expect(await on("compact", "1.5")).toMatchObject({
      code: 1,
      err: expect.stringContaining('"1.5" is not a revision'),
    });
  });

  test("a full etcd raises an alarm; compact, defrag and alarm disarm make it writable again", async () => {
    const value = Buffer.alloc(200_000);
    const fill = async () => {
      for (let i = 0; i < 200; i++) {
        await store.commit([], [{ type: "put", key: `/registry/${i % 3}`, value }]);
        // etcd updates its size only with its own batches, every 100 ms.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await expect(fill()).rejects.toMatchObject({ reason: "NoSpace" });
    const listed = await on("alarm", "list", "-o", "json");
    expect(JSON.parse(listed.out)).toMatchObject([{ alarm: "NOSPACE" }]);
    expect((await on("compact")).code).toBe(0);
    const defrag = await on("defrag");
    expect(defrag.code).toBe(0);
    const [before, after] = (/([\d.]+) MiB before, ([\d.]+) MiB after/.exec(defrag.out) ?? []).slice(1).map(Number);
    expect(after ?? 0).toBeLessThan((before ?? 0) / 2);
    expect((await on("alarm", "disarm")).code).toBe(0);
    expect(await on("alarm", "list")).toMatchObject({ code: 0, out: "", err: "no alarms" });
    await store.commit([], [{ type: "put", key: "/registry/a", value }]);
  }, 60_000);

  test.each([
    [["status", "--timeout", "0"], "--timeout=0 is not a number of seconds above 0"],
    [["status", "--timeout", "soon"], "--timeout=NaN is not a number of seconds above 0"],
    [["status", "--etcd-servers", "http://["], '"http://[" is not a URL'],
    [["status", "--etcd-servers", ","], "has no server"],
    [["status", "--etcd-certfile", "/tmp/a"], "belong together"],
    [["alarm", "raise"], "Invalid values"],
    [["migrate"], "Missing required argument: to"],
    [["snapshot"], "A command is needed."],
    [["snapshot", "destroy", "x"], "Unknown"],
    [["statuses"], "Unknown argument: statuses"],
    [["status", "--prefix", "/a"], "Unknown argument: prefix"],
    [[], "A command is needed."],
  ])("%j is refused", async (args, message) => {
    const { code, err } = await orchEtcd(...args);
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  test.each(commands.map(({ usage, describe }) => [usage, describe]))("%s has a help text", async (usage, text) => {
    const words = usage.split(" ").filter((word) => /^\w/.test(word));
    const { code, out } = await orchEtcd(...words, "--help");
    expect(code).toBe(0);
    expect(out.replace(/\s+/g, " ")).toContain(text);
  });
});
