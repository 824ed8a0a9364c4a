/**
 * A program that measures the calls of the etcd store of one checkout: its parameters are the JSON of the first argument, its result
 * is printed as JSON. The store is imported from the checkout by its path, so that the figures of two commits can be compared.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as storage from "@orchernetes/storage";
import { loadProgram } from "../load/load-program.ts";

/** The calls that are measured. */
export const CALLS = ["get", "create", "update", "list500"] as const;

/** The parameters of the program. */
export interface CallParameters {
  /** The root of the checkout. */
  readonly checkout: string;
  readonly etcdUrl: string;
  /** Calls of each kind; a list counts as 100. */
  readonly calls: number;
  /** Distinguishes the keys of runs against the same etcd. */
  readonly run: string;
}

/** Microseconds of CPU time (user and system, all threads) of the client per call. */
export type CallFigures = Readonly<Record<(typeof CALLS)[number], number>>;

/** As many as a busy API server has in flight. */
const IN_FLIGHT = 16;
const LIST_KEYS = 500;
/** A list costs about as much as this many gets. */
const LIST_WEIGHT = 100;
/** The size of a small pod in its storage form. */
const VALUE = Buffer.alloc(1024, "x");

async function measureCalls({ checkout, etcdUrl, calls, run }: CallParameters): Promise<CallFigures> {
  const index = pathToFileURL(`${checkout}/packages/storage/src/index.ts`).href;
  const { openEtcdStore, asRevision } = (await import(index)) as typeof storage;
  const store = await openEtcdStore({ servers: [etcdUrl] });
  const folder = `/registry/${run}`;
  const put = async (key: string, before: number) => {
    const revision = asRevision(before);
    const result = await store.commit([{ key, modRevision: revision }], [{ type: "put", key, value: VALUE }]);
    if (result.type === "conflict") throw new Error(`the write of "${key}" conflicts`);
    return result.revision;
  };
  for (let i = 0; i < LIST_KEYS; i++) await put(`${folder}/list/${i}`, 0);
  const revisions = new Map<number, number>();
  const create = async (i: number) => void revisions.set(i, await put(`${folder}/pods/default/pod-${i}`, 0));
  const update = async (i: number) => void (await put(`${folder}/pods/default/pod-${i}`, revisions.get(i) ?? 0));
  const get = () => store.get(`${folder}/list/7`);
  const list = () => store.list(`${folder}/list/`);
  // Compiles what is measured; the keys of the warm-up are not those of the measurement.
  const warm = Math.ceil(calls / 2);
  await cpuPerCall(warm, get);
  await cpuPerCall(warm, (i) => create(calls + i));
  await cpuPerCall(warm, (i) => update(calls + i));
  await cpuPerCall(Math.ceil(warm / LIST_WEIGHT), list);
  const figures = {
    get: await cpuPerCall(calls, get),
    create: await cpuPerCall(calls, create),
    update: await cpuPerCall(calls, update),
    list500: await cpuPerCall(Math.ceil(calls / LIST_WEIGHT), list),
  };
  await store.close();
  return figures;
}

/** Makes calls 0 to `calls` - 1, {@link IN_FLIGHT} at a time, and returns the CPU time of one in microseconds. */
async function cpuPerCall(calls: number, call: (i: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const before = process.cpuUsage();
  const caller = async () => {
    while (next < calls) await call(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await loadProgram(measureCalls);
