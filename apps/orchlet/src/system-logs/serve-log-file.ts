import type { Dirent } from "node:fs";
import { type FileHandle, opendir } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { respond } from "@orchernetes/component";
import { descriptorPath } from "@orchernetes/host";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { byteRange } from "./byte-range.ts";
import { NoSuchLog, openLog } from "./open-log.ts";

/** Entries of a folder that are listed. */
const maxEntries = 10_000;

const plain = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };

/**
 * Serves a file below `root`, or the list of a folder, as a page of links. Byte ranges and `If-Modified-Since` are honoured. A slow
 * reader holds one open file and no more than a block of it.
 *
 * @param path decoded, relative to `root`
 * @param url the path of the request, to which the links of a page are relative
 */
export async function serveLogFile(
  target: { readonly root: string; readonly path: string; readonly url: string },
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const { root, path, url } = target;
  if (path.split("/").includes("..")) return respond(request, response, 400, plain, "invalid URL path\n");
  let opened: Awaited<ReturnType<typeof openLog>>;
  try {
    opened = await openLog(root, path);
  } catch (error) {
    if (!(error instanceof NoSuchLog)) throw error;
    return respond(request, response, 404, plain, "404 page not found\n");
  }
  if (opened.type === "file") return sendFile(opened.file, request, response);
  try {
    const last = url.split("/").at(-1) ?? "";
    if (last !== "") return respond(request, response, 301, { location: `${last}/` }, "");
    await sendList(opened.folder, request, response);
  } finally {
    await opened.folder.close();
  }
}

async function sendList(folder: FileHandle, request: HttpRequest, response: HttpResponse): Promise<void> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(descriptorPath(folder))) {
    entries.push(entry);
    if (entries.length >= maxEntries) break;
  }
  const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).sort();
  const links = names.map((name) => `<a href="${hrefOf(name)}">${escapeHtml(name)}</a>\n`);
  const headers = { "content-type": "text/html; charset=utf-8", "x-content-type-options": "nosniff" };
  respond(request, response, 200, headers, `<pre>\n${links.join("")}</pre>\n`);
}

/** A relative link. A name with a colon in its first part would else be a scheme. */
function hrefOf(name: string): string {
  const encoded = encodeURI(name.toWellFormed()).replaceAll("?", "%3F").replaceAll("#", "%23").replaceAll('"', "%22");
  return /^[^/]*:/.test(encoded) ? `./${encoded}` : encoded;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (found) => entities[found] ?? found);

async function sendFile(file: FileHandle, request: HttpRequest, response: HttpResponse): Promise<void> {
  try {
    const { size, mtime } = await file.stat();
    const modified = new Date(Math.floor(mtime.getTime() / 1000) * 1000);
    const common = { ...plain, "accept-ranges": "bytes", "last-modified": modified.toUTCString() };
    const since = Date.parse(request.headers["if-modified-since"] ?? "");
    if (modified.getTime() <= since) {
      response.writeHead(304, common);
      response.end();
      return;
    }
    const range = byteRange(request.headers.range, size);
    if (range === "unsatisfiable")
      return respond(request, response, 416, { ...common, "content-range": `bytes */${size}` }, "invalid range\n");
    const { start, end } = range ?? { start: 0, end: size };
    response.writeHead(range === undefined ? 200 : 206, {
      ...common,
      "content-length": String(end - start),
      ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${size}` }),
    });
    if (request.method === "HEAD" || end === start) return void response.end();
    // The file may grow while it is read: the length that was announced is sent.
    const content = file.createReadStream({ start, end: end - 1, autoClose: false });
    // A client that goes, or a file that has become shorter, ends the connection.
    await pipeline(content, response as ServerResponse).catch(() => (response as ServerResponse).destroy());
  } finally {
    await file.close();
  }
}
