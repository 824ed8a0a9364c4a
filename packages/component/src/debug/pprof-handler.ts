import { getHeapSnapshot } from "node:v8";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { respond, targetOf } from "../serving/http.ts";
import { activeResources, activeResourcesTree } from "./active-resources.ts";
import { takeBlockProfile } from "./block-profile.ts";
import { cpuProfileTree, takeCpuProfile } from "./cpu-profile.ts";
import { encodePprof } from "./encode-pprof.ts";
import { heapProfileTree, takeHeapProfile } from "./heap-profile.ts";
import { Inspector, ProfilerBusyError } from "./inspect.ts";
import type { Profile } from "./profile-tree.ts";
import { takeTrace } from "./trace.ts";

/** Serves profiles; false for paths that are not its own. */
export type PprofHandler = (request: HttpRequest, response: HttpResponse) => Promise<boolean>;

/** The profiles to serve. */
export interface PprofOptions {
  /** `--contention-profiling`: serves `block` too. @default false */
  readonly contention?: boolean;
}

const prefix = "/debug/pprof/";
const maxSeconds = 600;

const pages: Readonly<Record<string, string>> = {
  allocs: "Who allocates memory: ?seconds=N (5) of allocations, whether freed again or not.",
  block: "What holds up the event loop, with --contention-profiling: ?seconds=N (10).",
  cmdline: "The command line of the process.",
  goroutine: "What keeps the event loop busy: active handles and requests by kind; ?debug=1 as text.",
  heap: "Who takes memory that is still held: ?seconds=N (5), ?gc=1 collects garbage first, ?debug=snapshot is a whole heap snapshot.",
  profile: "CPU profile: ?seconds=N (30).",
  symbol: "Profiles carry their symbols; this says so.",
  trace: "Trace events of the runtime: ?seconds=N (1), for chrome://tracing.",
};

interface Answer {
  readonly status?: number;
  readonly type: string;
  readonly body: Buffer | string;
  /** Name for saving it as a file. */
  readonly file?: string;
}

const text = (body: string, status = 200): Answer => ({ status, type: "text/plain; charset=utf-8", body });
const binary = (body: Buffer, file: string): Answer => ({ type: "application/octet-stream", body, file });
const devtools = (value: unknown, file: string): Answer => ({
  type: "application/json",
  body: JSON.stringify(value),
  file,
});
const pprof = async (profile: Profile, file: string): Promise<Answer> => binary(await encodePprof(profile), file);

function index(contention: boolean): Answer {
  const rows = Object.entries(pages)
    .filter(([name]) => contention || name !== "block")
    .map(([name, what]) => `<tr><td><a href="${name}">${name}</a></td><td>${what}</td></tr>`);
  const hint =
    "Profiles are in the format of pprof; with ?debug=devtools, profile, heap and allocs come as Chrome DevTools opens them.";
  const body = `<!doctype html>\n<title>${prefix}</title>\n<p>${hint}</p>\n<table>\n${rows.join("\n")}\n</table>\n`;
  return { type: "text/html; charset=utf-8", body };
}

/** Seconds from the query. Undefined: not a number from 0 to the most. */
function durationOf(query: URLSearchParams, byDefault: number): number | undefined {
  const given = query.get("seconds");
  if (given === null || given === "") return byDefault * 1000;
  const seconds = Number(given);
  return Number.isFinite(seconds) && seconds > 0 && seconds <= maxSeconds ? seconds * 1000 : undefined;
}

/**
 * Serves `/debug/pprof/` under the paths that `go tool pprof` requests. One profile is taken at a time; concurrent
 * requests get 409. A profile ends when its client disconnects. Authorization is up to the caller: profiles reveal the
 * program's activity.
 */
export function createPprofHandler({ contention = false }: PprofOptions = {}): PprofHandler {
  const inspector = new Inspector();
  const answer = async (name: string, query: URLSearchParams, signal: AbortSignal): Promise<Answer> => {
    if (name === "") return index(contention);
    const debug = query.get("debug");
    const defaults: Readonly<Record<string, number>> = { profile: 30, heap: 5, allocs: 5, block: 10, trace: 1 };
    const durationMs = durationOf(query, defaults[name] ?? 1);
    if (durationMs === undefined)
      return text(
        `seconds=${JSON.stringify(query.get("seconds"))}: want a number above 0 and at most ${maxSeconds}\n`,
        400,
      );
    switch (name) {
      case "profile": {
        const cpu = await inspector.run(takeCpuProfile(durationMs, signal));
        if (debug === "devtools") return devtools(cpu.profile, "profile.cpuprofile");
        return pprof(cpuProfileTree(cpu), "profile");
      }
      case "heap":
      case "allocs": {
        const options = { durationMs, freed: name === "allocs", collect: query.get("gc") === "1" };
        const heap = await inspector.run(takeHeapProfile(options, signal));
        if (debug === "devtools") return devtools(heap.profile, `${name}.heapprofile`);
        return pprof(heapProfileTree(heap, name === "allocs" ? "alloc" : "inuse"), name);
      }
      case "block":
        if (!contention) return text("contention profiling is off; start with --contention-profiling\n", 404);
        return pprof(await inspector.run(takeBlockProfile(durationMs, signal)), "block");
      case "goroutine": {
        const counts = activeResources();
        if (debug === null || debug === "0") return pprof(activeResourcesTree(counts, Date.now()), "goroutine");
        return text([...counts].map(([kind, count]) => `${count} @ ${kind}\n`).join(""));
      }
      case "trace":
        return {
          type: "application/json",
          body: await inspector.run(takeTrace(durationMs, signal)),
          file: "trace.json",
        };
      case "cmdline":
        return text(process.argv.join("\0"));
      case "symbol":
        return text("num_symbols: 1\n");
      default:
        return text(`unknown profile ${JSON.stringify(name)}; there are ${Object.keys(pages).join(", ")}\n`, 404);
    }
  };
  return async (request, response) => {
    const { path, query } = targetOf(request);
    if (path === "/debug/pprof") {
      respond(request, response, 301, { location: prefix }, "");
      return true;
    }
    if (!path.startsWith(prefix)) return false;
    const left = new AbortController();
    response.once("close", () => left.abort());
    const name = path.slice(prefix.length);
    if (name === "heap" && query.get("debug") === "snapshot") {
      response.setHeader("content-type", "application/octet-stream");
      response.setHeader("content-disposition", 'attachment; filename="heap.heapsnapshot"');
      const snapshot = getHeapSnapshot();
      response.once("close", () => snapshot.destroy());
      snapshot.pipe(response);
      await new Promise((resolve) => response.once("close", resolve));
      return true;
    }
    const {
      status = 200,
      type,
      body,
      file,
    } = await answer(name, query, left.signal).catch((error: unknown) => {
      if (error instanceof ProfilerBusyError) return text(`${error.message}\n`, 409);
      throw error;
    });
    const headers = {
      "content-type": type,
      "x-content-type-options": "nosniff",
      ...(file === undefined ? {} : { "content-disposition": `attachment; filename="${file}"` }),
    };
    respond(request, response, status, headers, body);
    return true;
  };
}
