import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { PassThrough, type Writable } from "node:stream";
import { createGzip, constants as zlib } from "node:zlib";
import { respond } from "@orchernetes/component";
import { type Clock, type HttpRequest, type HttpResponse, systemClock } from "@orchernetes/kernel";
import type { Journal } from "./journal.ts";
import { type LogQuery, logQueryErrors, parseLogQuery } from "./log-query.ts";
import { NoSuchLog, openLog } from "./open-log.ts";
import { serveLogFile } from "./serve-log-file.ts";

/** Where the logs of the host are. */
export interface SystemLogOptions {
  /** @default "/var/log" */
  readonly root?: string;
  /** Undefined: queries are not allowed, and their parameters are ignored. */
  readonly journal: Journal | undefined;
  /** Time that a query may take, in milliseconds. @default 30000 */
  readonly queryMs?: number;
  readonly clock?: Pick<Clock, "setTimeout">;
}

/** Maximum number of concurrent queries: each is a process of the host. */
const maxQueries = 8;

/** Serves `/logs/`. @param path decoded, after `/logs/` */
export type SystemLogs = (
  target: { readonly path: string; readonly url: string; readonly query: URLSearchParams },
  request: HttpRequest,
  response: HttpResponse,
) => Promise<void>;

/**
 * Serves the files of the host's folder of logs, and, with a journal, the logs of services (KEP-2258). Nothing outside of the folder is
 * shown.
 */
export function createSystemLogs({
  root = "/var/log",
  journal,
  queryMs = 30_000,
  clock = systemClock,
}: SystemLogOptions): SystemLogs {
  let queries = 0;
  return async ({ path, url, query: params }, request, response) => {
    const { query, errors } = journal === undefined ? { errors: [] } : parseLogQuery(params);
    if (errors.length > 0) return refuse(request, response, 400, errors);
    if (journal === undefined || query === undefined) return serveLogFile({ root, path, url }, request, response);
    if (path !== "") return refuse(request, response, 406, ["path not allowed in query mode"]);
    const impossible = [...logQueryErrors(query), ...(await missingFile(root, query))];
    if (impossible.length > 0) return refuse(request, response, 406, impossible);
    const [file] = query.files;
    if (file !== undefined) return serveLogFile({ root, path: slashed(file), url: "" }, request, response);
    if (queries >= maxQueries)
      return refuse(request, response, 429, [`${maxQueries} queries of logs are in progress; try again later`]);
    queries += 1;
    try {
      await serveQuery({ root, journal, queryMs, clock }, query, request, response);
    } finally {
      queries -= 1;
    }
  };
}

/** Clients on Windows write `\`. */
const slashed = (file: string): string => file.replaceAll("\\", "/");

function refuse(request: HttpRequest, response: HttpResponse, status: number, errors: readonly string[]): void {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  const text = errors.length === 1 ? errors.join() : `[${errors.join(", ")}]`;
  respond(request, response, status, headers, `${text}\n`);
}

async function missingFile(root: string, { files, services, options }: LogQuery): Promise<readonly string[]> {
  const [file] = files;
  if (file === undefined || files.length > 1 || services.length > 0 || Object.keys(options).length > 0) return [];
  try {
    const opened = await openLog(root, slashed(file));
    await (opened.type === "file" ? opened.file : opened.folder).close();
    return [];
  } catch (error) {
    if (!(error instanceof NoSuchLog)) throw error;
    return [`query: Invalid value: ${JSON.stringify(file.slice(0, 256))}: ${error.message}`];
  }
}

async function serveQuery(
  {
    root,
    journal,
    queryMs,
    clock,
  }: Required<Pick<SystemLogOptions, "root" | "queryMs" | "clock">> & { readonly journal: Journal },
  { services, options }: LogQuery,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const end = new AbortController();
  const { signal } = end;
  let isGone = false;
  const leave = () => {
    isGone = true;
    end.abort();
  };
  response.once("close", leave);
  const isGzip = request.headers["accept-encoding"] === "gzip";
  response.writeHead(200, {
    "content-type": "text/plain;charset=UTF-8",
    "x-content-type-options": "nosniff",
    ...(isGzip ? { "content-encoding": "gzip" } : {}),
  });
  if (request.method === "HEAD") return void response.end();
  const out: Writable = isGzip ? createGzip({ level: zlib.Z_BEST_SPEED }) : new PassThrough();
  out.pipe(response as ServerResponse);
  out.on("error", leave);
  const write = async (chunk: Buffer | string): Promise<void> => {
    if (!out.write(chunk)) await once(out, "drain", { signal });
  };
  const timer = clock.setTimeout(() => end.abort(), queryMs);
  try {
    const native: string[] = [];
    const others: string[] = [];
    for (const service of services) ((await journal.has(service, signal)) ? native : others).push(service);
    if (native.length > 0) await journal.copy(native, options, write, signal);
    if (others.length > 0 && Object.keys(options).length > 0)
      await write(
        `\noptions present and query resolved to log files for [${others.join(" ")}]\ntry without specifying options\n`,
      );
    else for (const service of others) await copyFiles(root, service, write, signal);
  } catch {
    // The headers were already sent: as in the original, the body reports the error.
    const why = signal.aborted ? "the query took too long" : "journal output not available";
    if (!isGone) out.write(`\nerror: ${why}\n`);
  }
  timer.clear();
  out.end();
}

/** The log file of a service that writes none to the journal: the first that is there. */
async function copyFiles(
  root: string,
  service: string,
  write: (chunk: Buffer | string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (const path of [service, `${service}.log`, `${service}/${service}.log`]) {
    const opened = await openLog(root, path).catch((error: unknown) => {
      if (error instanceof NoSuchLog) return undefined;
      throw error;
    });
    if (opened?.type === "folder") await opened.folder.close();
    if (opened?.type !== "file") continue;
    try {
      const { size } = await opened.file.stat();
      if (size === 0) return;
      // Bytes that are written after the start are not read, so that the copy ends.
      const content = opened.file.createReadStream({ start: 0, end: size - 1, autoClose: false, signal });
      for await (const chunk of content) await write(chunk as Buffer);
      return;
    } finally {
      await opened.file.close();
    }
  }
  await write(`\nlog not found for ${service}\n`);
}
