import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedStore, type Store } from "@orchernetes/storage";
import { afterAll } from "vitest";
import { runCommand } from "../src/run-command.ts";

/** The result of a command. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process. */
export async function orchEtcd(...args: readonly string[]): Promise<Run> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(args, { print: (text) => void out.push(text), say: (text) => void err.push(text) });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

/** A directory that is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "orch-etcd-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every key of a store with its value and revisions. */
export async function contentOf(store: Store) {
  const { items } = await store.list("/registry/");
  return items.map(({ key, value, createRevision, modRevision }) => ({
    key,
    value: value.toString("base64"),
    createRevision,
    modRevision,
  }));
}

/** An embedded store with creates, updates, deletes, two keys of one commit, and a key that expires; its content and revision. */
export async function fillEmbedded(path: string) {
  const store = await openEmbeddedStore({ path, fsync: false });
  const put = (key: string, value: string | Buffer, ttlSeconds?: number) => ({
    type: "put" as const,
    key: `/registry/${key}`,
    value: Buffer.from(value),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
  });
  for (let i = 0; i < 30; i++) await store.commit([], [put(`configmaps/a/${i}`, `value ${i}`)]);
  for (let i = 0; i < 30; i += 3) await store.commit([], [put(`configmaps/a/${i}`, Buffer.alloc(i * 1000, i))]);
  await store.commit([], [put("secrets/a/one", "1"), put("secrets/a/two", "2")]);
  await store.commit([], [{ type: "delete", key: "/registry/configmaps/a/1" }]);
  await store.commit([], [put("events/a/e", "event", 1800)]);
  await store.commit([], [put("configmaps/a/ünïcode", "ü")]);
  await store.commit([], [{ type: "delete", key: "/registry/configmaps/a/2" }]);
  const content = await contentOf(store);
  const revision = await store.revision();
  await store.close();
  return { content, revision };
}
