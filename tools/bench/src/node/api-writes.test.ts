import { expect, test } from "vitest";
import { writesBetween, writesIn } from "./api-writes.ts";

const page = (events: number) => `# TYPE apiserver_request_total counter
apiserver_request_total{code="201",resource="events",scope="resource",subresource="",verb="POST"} ${events}
apiserver_request_total{code="200",resource="events",scope="resource",subresource="",verb="PATCH"} 2
apiserver_request_total{code="200",resource="pods",scope="resource",subresource="status",verb="PATCH"} 5
apiserver_request_total{code="200",resource="pods",scope="namespace",subresource="",verb="LIST"} 7
other{verb="POST"} 1
`;

test("requests that write are counted by what they write", () => {
  expect([...writesIn(page(3))]).toEqual([
    ["events", 5],
    ["pods/status", 5],
  ]);
});

test("of two readings, only what was added counts", () => {
  expect([...writesBetween(writesIn(page(3)), writesIn(page(10)))]).toEqual([["events", 7]]);
});
