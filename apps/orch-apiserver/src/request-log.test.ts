import type { CompletedRequest } from "@orchernetes/apiserver";
import { createLogger } from "@orchernetes/component";
import { expect, test } from "vitest";
import { logsRequests, requestLog } from "./request-log.ts";

const completed = {
  auditId: "0b1c",
  requestInfo: { verb: "list", path: "/api/v1/pods", query: "limit=5" },
  user: { name: "alice", groups: [], extra: {} },
  code: 200,
  startedMs: 1000,
  sourceIp: "127.0.0.1",
  userAgent: "kubectl",
} as unknown as CompletedRequest;

function linesAt(options: { readonly verbosity?: number; readonly vmodule?: readonly string[] }): readonly string[] {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  requestLog(createLogger({ ...options, sink }), () => 1012)(completed);
  return lines.map((line) => line.slice(line.indexOf("]") + 2).trimEnd());
}

const line =
  '"HTTP" verb="LIST" URI="/api/v1/pods?limit=5" latency="12ms" user="alice" userAgent="kubectl" audit-ID="0b1c" srcIP="127.0.0.1" resp=200';

test.each<readonly [{ readonly verbosity: number; readonly vmodule?: readonly string[] }, readonly string[]]>([
  [{ verbosity: 2 }, []],
  [{ verbosity: 3 }, [line]],
  [{ verbosity: 0, vmodule: ["request-log=3"] }, [line]],
  [{ verbosity: 0, vmodule: ["other=9"] }, []],
])("with %j the log has %j", (options, want) => {
  expect(linesAt(options).map((text) => text.replace(/^HTTP/, '"HTTP"'))).toEqual(want);
  expect(logsRequests({ v: options.verbosity, vmodule: options.vmodule ?? [] })).toBe(
    options.vmodule !== undefined || want.length > 0,
  );
});
