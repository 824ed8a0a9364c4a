import type { ITxnRequest, ITxnResponse } from "etcd3/lib/rpc.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { StoreError } from "../errors.ts";
import { CommitGroups, folderOf, type GroupableCommit, groupsOf } from "./commit-groups.ts";

test.each([
  ["/registry/pods/default/a", "/registry/pods"],
  ["/registry/namespaces/default", "/registry/namespaces"],
  ["/registry/stable.example.com/crontabs/default/a", "/registry/stable.example.com"],
  ["/folder/key", "/folder"],
  ["/key", "/key"],
  ["compact_rev_key", "compact_rev_key"],
])("the folder of %s is %s", (key, folder) => {
  expect(folderOf(key)).toBe(folder);
});

const commit = (name: string, folders: readonly string[], bytes = 0): GroupableCommit => ({
  request: { success: [{ request_put: { key: Buffer.from(name) } }] },
  folders,
  bytes,
});
const nameIn = ({ success = [] }: ITxnRequest): string => String(success[0]?.request_put?.key);
const names = (groups: readonly (readonly GroupableCommit[])[]) =>
  groups.map((group) => group.map(({ request }) => nameIn(request)).join());

test("no group has two commits of one folder, and those of a folder keep their order", () => {
  const commits = ["p1", "e1", "p2", "e2", "p3"].map((name) =>
    commit(name, [name.startsWith("p") ? "pods" : "events"]),
  );
  expect(names(groupsOf(commits))).toEqual(["p1,e1", "p2,e2", "p3"]);
});

test("a condition on a key of another folder counts as a write to it", () => {
  const commits = [
    commit("lease", ["leases"]),
    commit("bound", ["pods", "leases"]),
    commit("event", ["events"]),
    commit("pod", ["pods"]),
  ];
  expect(names(groupsOf(commits))).toEqual(["lease,event", "bound", "pod"]);
});

test("groups are limited, and large values are sent alone", () => {
  const many = Array.from({ length: 10 }, (_, i) => commit(`k${i}`, [`f${i}`], i === 4 ? 100_000 : 100));
  expect(names(groupsOf(many))).toEqual(["k0,k1,k2,k3,k5,k6,k7,k8", "k9", "k4"]);
});

/** Groups that are sent to a server, which records them. */
function groupsTo(server: (request: ITxnRequest) => Promise<ITxnResponse>) {
  const requests: string[] = [];
  let sent = 0;
  const groups = new CommitGroups({
    send: (request) => {
      const { success = [] } = request;
      const nested = success.flatMap(({ request_txn }) => (request_txn ? [nameIn(request_txn)] : []));
      requests.push(nested.length === 0 ? nameIn(request) : nested.join());
      return server(request);
    },
    sent: () => sent++,
  });
  return { groups, requests, sentCount: () => sent };
}

const header = { revision: "7" } as ITxnResponse["header"];

test("commits of one turn are sent together, and each gets its own result", async () => {
  const { groups, requests, sentCount } = groupsTo(async ({ success = [] }) => ({
    header,
    succeeded: true,
    responses: success.map(
      ({ request_txn }) =>
        ({ response_txn: { succeeded: nameIn(request_txn ?? {}) !== "b", responses: [] } }) as unknown as never,
    ),
  }));
  const results = await Promise.all(["a", "b", "c"].map((name) => groups.commit(commit(name, [name]))));
  expect(requests).toEqual(["a,b,c"]);
  expect(sentCount()).toBe(1);
  expect(results.map(({ header, succeeded }) => [header.revision, succeeded])).toEqual([
    ["7", true],
    ["7", false],
    ["7", true],
  ]);
});

test("if the server rejects a group, its commits are sent one by one", async () => {
  const { groups, requests } = groupsTo(async (request) => {
    if (request.success?.[0]?.request_txn !== undefined || nameIn(request) === "b")
      throw new StoreError("NoSpace", "etcd: no space");
    return { header, succeeded: true, responses: [] };
  });
  const results = await Promise.allSettled(["a", "b"].map((name) => groups.commit(commit(name, [name]))));
  expect(requests).toEqual(["a,b", "a", "b"]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

test("if it is unknown whether a group was written, it is not sent again", async () => {
  const lost = new StoreError("Unavailable", "etcd: the connection was closed");
  const { groups, requests } = groupsTo(() => Promise.reject(lost));
  const results = await Promise.allSettled(["a", "b"].map((name) => groups.commit(commit(name, [name]))));
  expect(requests).toEqual(["a,b"]);
  expect(results).toEqual([
    { status: "rejected", reason: lost },
    { status: "rejected", reason: lost },
  ]);
});

test("a response that lacks the result of a commit is an error", async () => {
  const { groups } = groupsTo(async () => ({ header, succeeded: true, responses: [] }));
  const results = await Promise.allSettled(["a", "b"].map((name) => groups.commit(commit(name, [name]))));
  expect(results.map((result) => result.status === "rejected" && result.reason.reason)).toEqual(["Corrupt", "Corrupt"]);
});

test("a patient commit waits for a transaction to share while etcd is busy, but not for long", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const answers: (() => void)[] = [];
  const { groups, requests } = groupsTo(({ success = [] }) => {
    const one = { response_txn: { succeeded: true, responses: [] } };
    const responses = success.map(() => one) as unknown as ITxnResponse["responses"];
    return new Promise((resolve) => answers.push(() => resolve({ header, succeeded: true, responses })));
  });
  const results: Promise<ITxnResponse>[] = [];
  const write = async (...names: readonly string[]) => {
    for (const name of names)
      results.push(
        groups.commit({ ...commit(name, [name.startsWith("e") ? "events" : "pods"]), patient: name.startsWith("e") }),
      );
    await new Promise((turn) => setImmediate(turn));
    return requests.splice(0);
  };
  // As long as few are in flight, nothing waits.
  expect(await write("p1", "p2", "e1", "e2", "e3")).toEqual(["p1,e1", "p2,e2", "e3"]);
  expect(await write("p3", "e4", "e5", "e6")).toEqual(["p3,e4"]);
  expect(await write("p4", "e7")).toEqual(["e5,p4"]);
  expect(await write("p5")).toEqual(["e6,p5"]);
  vi.advanceTimersByTime(9);
  expect(requests).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(requests.splice(0)).toEqual(["e7"]);
  for (const answer of answers.splice(0)) answer();
  await Promise.all(results);
  expect(await write("e8", "e9")).toEqual(["e8", "e9"]);
  for (const answer of answers) answer();
});
